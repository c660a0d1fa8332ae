import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import { referencedServices } from '../../../../contract/protocol/data.ts'
import type { OperationType } from '../../../../contract/protocol/vocabulary.ts'
import type { Reference } from '../../../../contract/protocol/typed-value.ts'
import { UsageError, type Profile } from '../profile.ts'
import { withTwins } from './build-call.ts'
import { newSigningKey, signToken, type SigningKey } from './keys.ts'
import { parseJson } from './read-answer.ts'
import { createServices, SERVICES_PATH, type ResolutionFailure, type Services } from './services.ts'

/** A call that the plugin made to the platform. */
export interface PlatformCall {
  path: string
  authorization: string | null
  body: unknown
}

/** How resolve responds: it grants access, or breaks one rule, or takes `slow` milliseconds. */
export type ResolveMode =
  | 'grant'
  | 'refuse'
  | 'revoked'
  | 'down'
  | 'garbage'
  | 'expired'
  /** In the time of a place where it is later: the hour alone lies in the future. */
  | 'expired-elsewhere'
  | 'no-expiry'
  | 'no-access'
  | 'other-installation'
  /** Of the same installation, but for one field. */
  | 'other-workspace'
  | 'other-resource'
  | 'other-property'
  /** With a field in the envelope that the plugin does not know. */
  | 'unknown-field'
  | 'slow'

/** How long a slow resolution takes, in milliseconds. */
export const SLOW_RESOLVE_MS = 400

/** The platform that the plugin under test is pointed at: keys, resolve and authorization read. */
export interface Platform {
  /** The `platform_api_base`, which is also the issuer. */
  url: string
  /** Both keys are in the key set. */
  keys: readonly [SigningKey, SigningKey]
  /** Calls of the plugin to resolve, authorization read and declarations read so far. */
  calls: PlatformCall[]
  /** The services to which references resolve. */
  services: Services
  /** Adds a key to the key set, as a platform does before it signs with it; default: a new one. */
  addKey(key?: SigningKey): SigningKey
  /** How often the plugin fetched the keys. */
  keyFetches(): number
  /** True: the key set responds with 503. */
  setKeysDown(isDown: boolean): void
  /** Addresses and tokens that were handed out. */
  material: string[]
  setResolveMode(mode: ResolveMode): void
  /** References of an installation resolve after this: like at the runtime, not before its resources are installed. */
  activate(bundleInstallId: string, operationType: OperationType): void
  /** They no longer resolve after its DETACH. */
  deactivate(bundleInstallId: string): void
  /** Whether the plugin tried to resolve references of the installation, or of any, before it was active. */
  wasEarly(bundleInstallId?: string): boolean
  close(): Promise<void>
}

const RESOLVE = '/module-plugin-manager/api/bundle-plugin/service-reference/resolve'
const READ_DECLARATIONS = '/module-plugin-manager/api/bundle-plugin/event-declarations/read'
const READ_AUTHORIZATION = '/module-plugin-manager/api/bundle-plugin/authorization/read'
const JWKS = '/bundle-runtime/api/.well-known/jwks.json'
const RESOLVE_FIELDS = new Set(['contractVersion', 'installation', 'resource', 'propertyKey'])
const BODY_MAX = 256 * 1024

interface PlatformOptions {
  port: number
  keys: Platform['keys']
  /** False: authorization read responds with 404. */
  hasAuthorization: boolean
  /** True: the plugin is also authorized for the twins of the first Module. */
  hasTwins: boolean
}

/** Throws a UsageError if the port is taken. */
export async function startPlatform(
  given: Profile,
  { port, keys, hasAuthorization, hasTwins }: PlatformOptions,
): Promise<Platform> {
  const profile = hasTwins ? withTwins(given) : given
  const keySet: SigningKey[] = [...keys]
  const calls: PlatformCall[] = []
  const installations = trackInstallations()
  const services = createServices(profile)
  let keyFetches = 0
  let areKeysDown = false
  let mode: ResolveMode = 'grant'
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', () =>
      reject(
        new UsageError(
          `Port ${port} is in use. Choose another one with --platform-port, and set it in the plugin.`,
        ),
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  // A listening server always has such an address.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const references = referenceReads({
    profile,
    services,
    url,
    key: keys[0],
    isActive: installations.isActive,
  })

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '').split('?')[0] ?? ''
    if (path === JWKS) {
      keyFetches++
      if (areKeysDown) return send(outgoing, 503, { status: 503, code: 'SERVICE_UNAVAILABLE' })
      return send(outgoing, 200, { keys: keySet.map(({ jwk }) => jwk) })
    }
    if (path.startsWith(SERVICES_PATH)) return services.respond(incoming, outgoing)
    const body = parseJson(await readBody(incoming))
    const authorization = incoming.headers.authorization ?? null
    calls.push({ path, authorization, body })
    if (incoming.method !== 'POST' || ![RESOLVE, READ_AUTHORIZATION, READ_DECLARATIONS].includes(path))
      return send(outgoing, 404, { status: 404, code: 'NOT_FOUND' })
    if (authorization !== `Bearer ${profile.credential}`)
      return send(outgoing, 401, { status: 401, code: 'AUTHENTICATION_REQUIRED' })
    if (mode === 'down') return send(outgoing, 503, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    if (mode === 'garbage' && path === RESOLVE) return send(outgoing, 200, { status: 200 })
    if (mode === 'slow' && path === RESOLVE) await wait(SLOW_RESOLVE_MS)
    if (!isJsonObject(body)) return send(outgoing, 200, failure('REQUEST_INVALID'))
    if (path === READ_AUTHORIZATION)
      return hasAuthorization
        ? send(outgoing, 200, success(authorizationOf(profile)))
        : send(outgoing, 404, { status: 404, code: 'NOT_FOUND' })
    if (path !== RESOLVE) return send(outgoing, 200, references.declare(body, mode))
    const way = references.failureOfEvent(body) ?? mode
    if (way === 'unresolved') return send(outgoing, 503, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    const resolution = references.resolve(body, way)
    return send(outgoing, 200, way === 'unknown-field' ? { ...resolution, requestId: '1' } : resolution)
  }

  return {
    url,
    keys,
    calls,
    material: references.material,
    setResolveMode(next) {
      mode = next
    },
    services,
    addKey(key = newSigningKey()) {
      keySet.push(key)
      return key
    },
    keyFetches: () => keyFetches,
    setKeysDown(isDown) {
      areKeysDown = isDown
    },
    activate: installations.activate,
    deactivate: installations.deactivate,
    wasEarly: installations.wasEarly,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Which installations are active, and for which of the others the plugin tried to resolve references. */
function trackInstallations(): Pick<Platform, 'activate' | 'deactivate' | 'wasEarly'> & {
  isActive(installation: JsonObject): boolean
} {
  const active = new Set<unknown>()
  const detached = new Set<unknown>()
  const early = new Set<unknown>()
  return {
    isActive({ bundleInstallId }) {
      if (active.has(bundleInstallId)) return true
      if (!detached.has(bundleInstallId)) early.add(bundleInstallId)
      return false
    },
    activate(bundleInstallId, operationType) {
      if (operationType === 'DETACH') detached.delete(bundleInstallId)
      if (!detached.has(bundleInstallId)) active.add(bundleInstallId)
    },
    deactivate(bundleInstallId) {
      active.delete(bundleInstallId)
      detached.add(bundleInstallId)
    },
    wasEarly: (bundleInstallId) =>
      bundleInstallId === undefined ? early.size > 0 : early.has(bundleInstallId),
  }
}

interface ReferenceReads {
  profile: Profile
  services: Services
  /** The issuer of the tokens, which also serves the services. */
  url: string
  /** Signs the tokens. */
  key: SigningKey
  isActive: (installation: JsonObject) => boolean
}

/** What the platform says about the references of the profile. */
function referenceReads({ profile, services, url, key, isActive }: ReferenceReads) {
  const material: string[] = []
  const referenceOf = (resource: unknown, propertyKey: unknown): Reference | undefined =>
    profile.resources[String(resource)]?.references[String(propertyKey)]

  /** How the resolution for the first event of an installation fails; null if it does not. */
  function failureOfEvent({
    installation = null,
    resource,
    propertyKey,
  }: JsonObject): ResolutionFailure | null {
    const reference = referenceOf(resource, propertyKey)
    if (reference === undefined || !isJsonObject(installation)) return null
    return services.takeResolutionFailure(installation['bundleInstallId'], referencedServices(reference))
  }

  function resolve(body: JsonObject, way: ResolveMode): JsonObject {
    const { contractVersion, installation, resource, propertyKey } = body
    const isExact = Object.keys(body).every((name) => RESOLVE_FIELDS.has(name))
    if (!isExact || contractVersion !== '4.0.0') return failure('REQUEST_INVALID')
    const reference = referenceOf(resource, propertyKey)
    if (way === 'revoked') return failure('CREDENTIAL_REVOKED')
    if (reference === undefined) return noReference
    if (way === 'refuse' || !isJsonObject(installation)) return failure('REFERENCE_NOT_AUTHORIZED')
    if (!isActive(installation)) return failure('INSTALLATION_NOT_ACTIVE', true)
    const now = Math.floor(Date.now() / 1000)
    const expiry = way.startsWith('expired') ? now - 60 : now + 300
    return success({
      contractVersion: '4.0.0',
      installation: {
        ...installation,
        ...(way === 'other-installation' && { bundleInstallId: 'another' }),
        ...(way === 'other-workspace' && { workspaceId: Number(installation['workspaceId']) + 1 }),
      },
      resource: way === 'other-resource' ? `${String(resource)}-2` : String(resource),
      propertyKey: way === 'other-property' ? `${String(propertyKey)}2` : String(propertyKey),
      reference,
      access: way === 'no-access' ? {} : accessOf(reference, installation, { now, expiry, way }),
      expiresAt: way === 'no-expiry' ? null : timeOf(expiry, way === 'expired-elsewhere' ? 2 : 0),
    })
  }

  /** Every service of the reference accepts any payload, as one without a Module does. */
  function declare(body: JsonObject, mode: ResolveMode): JsonObject {
    const { installation = null, resource = null, propertyKey = null } = body
    const reference = referenceOf(resource, propertyKey)
    if (reference === undefined) return noReference
    if (mode === 'refuse' || !isJsonObject(installation)) return failure('REFERENCE_NOT_AUTHORIZED')
    if (!isActive(installation)) return failure('INSTALLATION_NOT_ACTIVE', true)
    const events = Object.fromEntries(
      referencedServices(reference).map((serviceId) => [
        serviceId,
        (profile.events[serviceId] ?? []).map((method) => ({ method, schema: true })),
      ]),
    )
    return success({ contractVersion: '1.0.0', installation, resource, propertyKey, events })
  }

  function accessOf(
    reference: Reference,
    installation: JsonObject,
    { now, expiry, way }: { now: number; expiry: number; way: ResolveMode },
  ): JsonObject {
    return Object.fromEntries(
      referencedServices(reference).map((serviceId) => {
        const methods = services.methodsOf(serviceId)
        const claims = { iss: url, aud: serviceId, sub: profile.pluginId, installation, methods }
        const times = { iat: now, exp: expiry, jti: randomUUID() }
        const token = signToken({ ...claims, ...times }, { by: 'key', key })
        const address = `${url}${SERVICES_PATH}${serviceId}`
        material.push(token, address)
        services.admit(token, {
          serviceId,
          bundleInstallId: String(installation['bundleInstallId']),
          expiry,
          isWrongResponse: way.startsWith('other-'),
        })
        return [serviceId, { url: address, token }]
      }),
    )
  }

  return { material, failureOfEvent, resolve, declare }
}

/** What a bundle would grant to a plugin with this profile, with the Modules of its scenarios. */
function authorizationOf({ pluginId, configuration, resources, scenarios }: Profile): JsonObject {
  const all = [resources, ...scenarios.flatMap(({ steps }) => steps.map((step) => step.resources ?? {}))]
  const locators = [...new Set(all.flatMap((modules) => Object.keys(modules)))]
  const values = scenarios.flatMap(({ steps }) => steps.map((step) => step.values ?? {}))
  const namesIn = (
    locator: string,
    lists: readonly ('properties' | 'changed' | 'writes' | 'references')[],
  ): string[] => [
    ...new Set(
      all.flatMap((modules) => lists.flatMap((list) => Object.keys(modules[locator]?.[list] ?? {}))),
    ),
  ]
  return {
    pluginId,
    protocolVersion: '6.0.0',
    order: 0,
    failurePolicy: 'FAIL_FAST',
    configuration,
    resources: locators.map((resource) => ({
      resource,
      readProperties: [
        ...new Set([
          ...namesIn(resource, ['properties', 'changed', 'writes']),
          ...values.flatMap((changes) => Object.keys(changes[resource] ?? {})),
        ]),
      ],
      writeProperties: namesIn(resource, ['writes']),
      credentialProperties: namesIn(resource, ['references']),
    })),
  }
}

const success = (data: JsonObject): JsonObject => ({ errorCode: '0', data, contractVersion: '1.0.0' })

const failure = (errorCode: string, retryable = false, message = 'Refused by plugin-check'): JsonObject => ({
  errorCode,
  data: { message, retryable, errorPath: ['module-plugin-manager'] },
  contractVersion: '1.0.0',
})

const noReference = failure(
  'REFERENCE_NOT_AUTHORIZED',
  false,
  'Refused by plugin-check: the profile has no reference with this name in this Module',
)

function send(outgoing: ServerResponse, status: number, body: JsonObject | { keys: object[] }): void {
  const type = status === 200 ? 'application/json' : 'application/problem+json'
  outgoing.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.byteLength
    if (length > BODY_MAX) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The RFC 3339 time of these seconds since 1970, so many hours east of Greenwich. */
const timeOf = (seconds: number, hours: number): string => {
  const text = new Date((seconds + hours * 3_600) * 1_000).toISOString()
  return hours === 0 ? text : text.replace('Z', `+0${hours}:00`)
}
