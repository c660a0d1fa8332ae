import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JsonObject, JsonValue } from '../../../contract/json-schema/json.ts'
import { decodeData, referencedServices, wrapData, wrapSensitive } from '../../../contract/protocol/data.ts'
import { readEnvelope, type FailureData } from '../../../contract/protocol/envelope.ts'
import { LifecycleResponse, type LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import type { Reference } from '../../../contract/protocol/typed-value.ts'
import type { OperationType, Outcome, ResourceAction, Stage } from '../../../contract/protocol/vocabulary.ts'
import type { PluginHandler } from './define-plugin.ts'

// For tests of plugins, in the author's own test runner: what the runtime and the platform do.

/** One Module, as the bundle would define it. */
export interface TestModule {
  /** Business values; default: none. */
  values?: Readonly<Record<string, JsonValue>>
  references?: Readonly<Record<string, Reference>>
  /** Which of the values are sensitive. */
  sensitive?: readonly string[]
  /** What the plugin may write; default: what its own `writes` declare. */
  writes?: readonly string[]
}

/** What a service answers to a method: the data of a success, or a complete HTTP response. */
export type TestAnswer = JsonValue | { status: number; body: JsonValue }

export interface TestOptions {
  pluginId: string
  /** Modules by locator. */
  modules: Readonly<Record<string, TestModule>>
  /** By service ID and method. What is not named is answered with a success without data. */
  services?: Readonly<Record<string, Readonly<Record<string, TestAnswer>>>>
}

/** A call of the plugin to a service, such as an event. */
export interface ServiceCall {
  serviceId: string
  method: string
  payload: JsonValue
  eventId: string | null
  idempotencyKey: string | null
}

/** What a call of the plugin led to. */
export interface TestResult {
  outcome: Outcome | null
  /** The business values that the plugin wrote, by locator and name. */
  writes: Readonly<Record<string, Readonly<Record<string, JsonValue>>>>
  /** Null unless the plugin responded with a failure. */
  failure: (FailureData & { errorCode: string }) | null
  /** The HTTP status: 200, unless the call was refused. */
  status: number
  /** The complete body. */
  body: string
  /** Sends the same bytes with a new token, as the runtime does when it does not know the result. */
  repeat(): Promise<TestResult>
}

export interface CallChanges {
  /** Values that change with this operation, by locator; they stay. */
  values?: Readonly<Record<string, Readonly<Record<string, JsonValue>>>>
  /** What happens to a Module; default: what the operation is. */
  actions?: Readonly<Record<string, ResourceAction>>
  targetVersion?: string
  /** Default: one more than the last one of the installation. */
  executionSequence?: number
}

/** One installation; its operations have increasing sequences. */
export interface TestInstallation {
  bundleInstallId: string
  /** Both stages, as long as they succeed: the results of those that were called. */
  run(type: OperationType, changes?: CallChanges): Promise<TestResult[]>
  /** One stage. A BEFORE_RESOURCES begins an operation, and an AFTER_RESOURCES of the same type belongs to it. */
  call(type: OperationType, stage: Stage, changes?: CallChanges): Promise<TestResult>
}

/** The runtime and the platform of a test. */
export interface TestPlatform {
  /** For `definePlugin` and `eventOutbox`: `platformApiBase`, `credential` and `now`. */
  settings: { platformApiBase: string; credential: string; now: () => number }
  /** Calls a plugin for a new installation. */
  installation(plugin: PluginHandler): TestInstallation
  /** What the plugin called, the oldest first. */
  serviceCalls: ServiceCall[]
  /** Moves the clock of `settings.now`. */
  skip(ms: number): void
  /** While true, resolve and services respond with 503. */
  setDown(isDown: boolean): void
  close(): Promise<void>
}

const PREFIX = '/module-plugin-manager/api/bundle-plugin'
const SERVICES = '/services/'
const CREDENTIAL = 'test-credential'

/** Starts a platform on a free port of this machine. Close it at the end of the test. */
export async function startTestPlatform({
  pluginId,
  modules,
  services = {},
}: TestOptions): Promise<TestPlatform> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'EdDSA', use: 'sig' }
  const serviceCalls: ServiceCall[] = []
  const tokens = new Map<string, string>()
  let skipped = 0
  let isDown = false

  const sign = (claims: Record<string, unknown>): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', kid: jwk.kid, typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)

  const server = createServer((incoming, outgoing) => {
    answer(incoming).then(
      ([status, body]) => send(outgoing, status, body),
      () => outgoing.destroy(),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  // a listening server has such an address
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(incoming: IncomingMessage): Promise<[number, object]> {
    const path = incoming.url ?? ''
    if (path.endsWith('/jwks.json')) return [200, { keys: [jwk] }]
    const text = (await buffer(incoming)).toString()
    const authorization = incoming.headers.authorization ?? ''
    if (isDown) return [503, { status: 503 }]
    if (path.startsWith(SERVICES)) return serve(incoming, path.slice(SERVICES.length), text)
    if (authorization !== `Bearer ${CREDENTIAL}`) return [401, { status: 401 }]
    // sent by the SDK
    const request = JSON.parse(text) as JsonObject
    if (path === `${PREFIX}/authorization/read`) return [200, success(compiled())]
    const reference = modules[String(request['resource'])]?.references?.[String(request['propertyKey'])]
    if (reference === undefined)
      return [200, failed('REFERENCE_NOT_AUTHORIZED', 'The property may not be resolved')]
    if (path === `${PREFIX}/service-reference/resolve`)
      return [200, success(await resolved(request, reference))]
    if (path === `${PREFIX}/event-declarations/read`) return [200, success(declared(request, reference))]
    return [404, { status: 404 }]
  }

  function compiled(): JsonObject {
    return {
      pluginId,
      protocolVersion: '6.0.0',
      order: 0,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1.0.0', values: {} },
      resources: Object.entries(modules).map(([resource, { values = {}, references = {}, writes = [] }]) => ({
        resource,
        readProperties: [...new Set([...Object.keys(values), ...Object.keys(references), ...writes])],
        writeProperties: [...writes],
        credentialProperties: Object.keys(references),
      })),
    }
  }

  async function resolved(request: JsonObject, reference: Reference): Promise<JsonObject> {
    const access: JsonObject = {}
    for (const serviceId of referencedServices(reference)) {
      const token = await sign({ iss: url, aud: serviceId, sub: pluginId, jti: randomUUID() })
      tokens.set(token, serviceId)
      access[serviceId] = { url: `${url}${SERVICES}${serviceId}`, token }
    }
    const expiresAt = new Date(Date.now() + skipped + 300_000).toISOString()
    return { ...request, reference, access, expiresAt }
  }

  /** Services of a test accept every payload. */
  function declared(request: JsonObject, reference: Reference): JsonObject {
    const events = Object.fromEntries(
      referencedServices(reference).map((serviceId) => [
        serviceId,
        Object.keys(services[serviceId] ?? {}).map((method) => ({ method, schema: true })),
      ]),
    )
    return { ...request, events }
  }

  function serve({ headers }: IncomingMessage, target: string, text: string): [number, object] {
    const [serviceId = '', method = ''] = target.split('/')
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    if (tokens.get(token) !== serviceId) return [401, { status: 401 }]
    tokens.delete(token)
    const header = (name: string): string | null => {
      const value = headers[name]
      return typeof value === 'string' ? value : null
    }
    serviceCalls.push({
      serviceId,
      method,
      payload: text === '' ? null : (JSON.parse(text) as JsonValue),
      eventId: header('event-id'),
      idempotencyKey: header('idempotency-key'),
    })
    const given = services[serviceId]?.[method] ?? null
    return isWhole(given) ? [given.status, given.body as object] : [200, success(given)]
  }

  return {
    settings: { platformApiBase: url, credential: CREDENTIAL, now: () => Date.now() + skipped },
    serviceCalls,
    skip(ms) {
      skipped += ms
    },
    setDown(next) {
      isDown = next
    },
    installation: (plugin) => newInstallation(plugin, { pluginId, modules, issuer: url, sign }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Caller {
  pluginId: string
  modules: TestOptions['modules']
  issuer: string
  sign(claims: Record<string, unknown>): Promise<string>
}

function newInstallation(
  plugin: PluginHandler,
  { pluginId, modules, issuer, sign }: Caller,
): TestInstallation {
  const [environmentKey = '', bundleId = ''] = Object.keys(modules)[0]?.split('/') ?? []
  const bundleInstallId = randomUUID()
  let sequence = 0
  let version: string | null = null
  let operation: { type: OperationType; id: string; target: string; sequence: number } | null = null
  const values = new Map(Object.entries(modules).map(([locator, module]) => [locator, { ...module.values }]))

  async function send(request: LifecycleRequest, body: string): Promise<TestResult> {
    const token = await sign({
      iss: issuer,
      aud: pluginId,
      sub: request.operation.operationId,
      stage: request.stage,
      executionSequence: request.executionSequence,
    })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const response = await plugin(new Request('http://plugin.invalid/', { method: 'POST', headers, body }))
    return read(response.status, await response.text(), () => send(request, body))
  }

  async function call(type: OperationType, stage: Stage, changes: CallChanges = {}): Promise<TestResult> {
    for (const [locator, changed] of Object.entries(changes.values ?? {}))
      Object.assign(values.get(locator) ?? {}, changed)
    if (operation === null || stage === 'BEFORE_RESOURCES' || operation.type !== type) {
      sequence = changes.executionSequence ?? sequence + 1
      const target =
        changes.targetVersion ?? (type === 'UPGRADE' ? `${version ?? '1.0.0'}-next` : (version ?? '1.0.0'))
      operation = { type, id: randomUUID(), target, sequence }
    }
    const currentVersion = type === 'INSTALL' ? null : (version ?? '1.0.0')
    const request: LifecycleRequest = {
      contractVersion: '6.0.0',
      pluginId,
      executionSequence: operation.sequence,
      installation: {
        environmentKey: 'test',
        applicationRuntimeId: 'test',
        workspaceId: 1,
        bundleInstallId,
        bundle: { environmentKey, bundleId },
      },
      operation: {
        operationId: operation.id,
        operationType: type,
        currentVersion,
        targetVersion: operation.target,
      },
      stage,
      configuration: { schemaVersion: '1.0.0', values: {} },
      resources: Object.fromEntries(
        Object.entries(modules).map(([locator, { references = {}, sensitive = [] }]) => [
          locator,
          {
            action: changes.actions?.[locator] ?? type,
            currentVersion,
            targetVersion: operation?.target ?? '1.0.0',
            properties: Object.fromEntries(
              Object.entries(values.get(locator) ?? {}).map(([name, value]) => [
                name,
                sensitive.includes(name) ? wrapSensitive(value) : wrapData(value),
              ]),
            ),
            references: { ...references },
          },
        ]),
      ),
    }
    const result = await send(request, JSON.stringify(request))
    if (isDone(result) && stage === 'AFTER_RESOURCES') version = operation.target
    return result
  }

  return {
    bundleInstallId,
    call,
    async run(type, changes) {
      const before = await call(type, 'BEFORE_RESOURCES', changes)
      return isDone(before) ? [before, await call(type, 'AFTER_RESOURCES', changes)] : [before]
    },
  }
}

const isDone = ({ outcome }: TestResult): boolean =>
  outcome === 'APPLIED' || outcome === 'VERIFIED' || outcome === 'NOT_APPLIED'

function read(status: number, body: string, repeat: () => Promise<TestResult>): TestResult {
  const nothing = { outcome: null, writes: {}, failure: null, status, body, repeat }
  const envelope = status === 200 ? readEnvelope(JSON.parse(body) as JsonValue) : null
  if (envelope?.kind === 'failure') {
    const failure = envelope.failure ?? { message: '', retryable: false }
    return { ...nothing, failure: { ...failure, errorCode: envelope.errorCode } }
  }
  if (envelope?.kind !== 'success') return nothing
  const { outcome, resources } = LifecycleResponse.parse(envelope.data)
  const writes = Object.fromEntries(
    Object.entries(resources).map(([locator, written]) => [locator, decodeData(written)]),
  )
  return { ...nothing, outcome, writes }
}

const isWhole = (given: TestAnswer): given is { status: number; body: JsonValue } =>
  typeof given === 'object' &&
  given !== null &&
  !Array.isArray(given) &&
  typeof given['status'] === 'number' &&
  'body' in given

const success = (data: JsonValue): object => ({ errorCode: '0', data, contractVersion: '1.0.0' })

const failed = (errorCode: string, message: string): object => ({
  errorCode,
  data: { message, retryable: false },
  contractVersion: '1.0.0',
})

function send(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
