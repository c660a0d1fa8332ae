import { randomUUID } from 'node:crypto'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { testingPlugin } from '#runtime/testing/plugin.ts'
import type { ArrivedCall, Reply, TestingPlugin } from '#runtime/testing/plugin.ts'
import { RESOLVE } from '#runtime/testing/http.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, TEXT, wrapped } from '#runtime/testing/rules.ts'
import { platform } from '../../demo/people.ts'
import type { System } from './system.ts'

/** Which of the two plugins: the registrar is called first and writes `tenantId`, which the sync reads. */
export type Role = 'registrar' | 'sync'

type Registration = Partial<{
  endpoint: string
  enabled: boolean
  timeoutMs: number
  maxAttempts: number
  maxBackoffMs: number
  reason: string
}>

/** What a plugin answers. Called with the number of earlier calls of the same plugin and stage. */
export type Answers = Partial<Record<Role, (call: ArrivedCall, before: number) => Reply | Promise<Reply>>>

/** A bundle of its own with two plugins of its own, so that failures do not disturb each other. */
export interface Shop {
  scope: Scope
  manifest: AuthorManifest
  pluginId(role: Role): string
  endpoint(role: Role): string
  register(role: Role, registration?: Registration): Promise<void>
  /** Sets what the plugins answer from now on; a plugin that is not named answers APPLIED. */
  answer(answers: Answers): void
  /** Publishes the manifest under this version. */
  publish(version: string): Promise<void>
  /** Installs the bundle, in the scope of the shop by default. The operation may still run. */
  install(scope?: Scope): Promise<{ operationId: string; bundleInstallId: string }>
  /** Saves the name. */
  configure(name: string): Promise<string>
  detach(bundleInstallId: string): Promise<string>
  takeOver(operationId: string): Promise<string>
  /** Waits for the end of the operation. */
  ended(operationId: string): Promise<string>
  /** What the registrar's reference leads to. */
  serviceId: string
  saveService(more?: {
    owner?: { bundleInstallId: string; locator: string }
    enabled?: boolean
    consumers?: Scope[]
    reason?: string
  }): Promise<void>
  /** The registrar resolves its reference with a credential of its own, as the real one would in a call. */
  resolve(call: ArrivedCall, secret: string): Promise<{ errorCode: string; message: string }>
  newCredential(): Promise<{ credentialId: string; secret: string }>
  revoke(credentialId: string): Promise<void>
  locator: string
}

const APPLIED: Reply = { outcome: 'APPLIED' }

/** What the registrar answers when nothing fails: it writes the tenant that the sync reads. */
export function registered({ request: { installation, operation, stage, resources } }: ArrivedCall): Reply {
  const [locator = ''] = Object.keys(resources)
  if (operation.operationType !== 'INSTALL' || stage !== 'BEFORE_RESOURCES') return APPLIED
  const tenantId = { '@type': 'Data' as const, value: `shop-${installation.workspaceId}` }
  return { outcome: 'APPLIED', resources: { [locator]: { tenantId } } }
}

/** Opens shops whose plugins one real server answers for. */
export async function openShops(
  system: System,
): Promise<{ open(name: string): Promise<Shop>; close(): Promise<void> }> {
  const plugin = await testingPlugin()
  const answers = new Map<string, Answers>()
  plugin.script((call, before) => {
    const [name = '', role] = call.pluginId.split('.')
    return (
      answers.get(name)?.[role as Role]?.(call, before) ?? (role === 'registrar' ? registered(call) : APPLIED)
    )
  })
  return {
    open: async (name) => openShop({ system, plugin, name, answer: (given) => answers.set(name, given) }),
    close: () => plugin.close(),
  }
}

/** A Module that the registrar and the sync work on, with a reference to the mail service. */
const manifestOf = (name: string, pluginId: (role: Role) => string): AuthorManifest =>
  bundleOf(`shop-${name}`, {
    resources: [
      moduleOf('main', {
        name: TEXT,
        tenantId: { kind: 'DATA', schema: { type: 'string', maxLength: 40 } },
        mail: { kind: 'SERVICE_REFERENCE' },
      }),
    ],
    plugins: [
      bindingOf(pluginId('registrar'), 1, {
        main: { reads: ['name'], writes: ['tenantId'], resolves: ['mail'] },
      }),
      bindingOf(pluginId('sync'), 2, { main: { reads: ['name', 'tenantId'] } }),
    ],
  })

async function openShop({
  system,
  plugin,
  name,
  answer,
}: {
  system: System
  plugin: TestingPlugin
  name: string
  answer: (answers: Answers) => void
}): Promise<Shop> {
  const pluginId = (role: Role) => `${name}.${role}`
  const serviceId = `${name}.mail`
  const manifest = manifestOf(name, pluginId)
  const locator = locatorOf(manifest, 'main')
  const scope: Scope = system.newScope()
  const register: Shop['register'] = async (role, more = {}) => {
    const body = {
      title: pluginId(role),
      endpoint: plugin.endpoint(pluginId(role)),
      enabled: true,
      maxBackoffMs: 100,
      maxAttempts: 3,
      timeoutMs: 5_000,
      owner: { team: `Team ${role}`, contact: `mailto:${role}@example.com` },
      ...more,
    }
    const params = { pluginId: pluginId(role) }
    await system.call(platform, 'PUT /plugins/{pluginId}', { params, body }, randomUUID())
  }
  const saveService: Shop['saveService'] = async ({
    owner = null,
    enabled = true,
    consumers = [scope],
    reason,
  } = {}) => {
    const body = {
      title: 'Mail',
      url: 'http://127.0.0.1:9/mail',
      methods: ['send'],
      consumers,
      owner,
      enabled,
      ...(reason !== undefined && { reason }),
    }
    await system.call(platform, 'PUT /services/{serviceId}', { params: { serviceId }, body }, randomUUID())
  }
  const publish: Shop['publish'] = async (version) => {
    const { environmentKey, bundleId } = manifest.bundle
    const published = { params: { environmentKey, bundleId, version }, body: { ...manifest, version } }
    const path = 'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}'
    await system.call(platform, path, published, randomUUID())
  }
  await saveService()
  await register('registrar')
  await register('sync')
  await publish(manifest.version)
  return {
    scope,
    manifest,
    pluginId,
    endpoint: (role) => plugin.endpoint(pluginId(role)),
    register,
    answer,
    locator,
    serviceId,
    saveService,
    publish,
    async install(place = scope) {
      const { installation, operation } = await system.call(
        platform,
        'POST /installations',
        {
          body: {
            scope: place,
            bundle: manifest.bundle,
            targetVersion: manifest.version,
            properties: {
              [locator]: { ...wrapped({ name: 'Shop' }), mail: { '@type': 'ServiceReference', serviceId } },
            },
          },
        },
        randomUUID(),
      )
      return {
        operationId: operation.operationId,
        bundleInstallId: installation.installation.bundleInstallId,
      }
    },
    async configure(value) {
      const place = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'
      const { snapshotVersion } = await system.call(platform, `GET ${place}`, { params: scope })
      const body = { snapshotVersion, changes: { [locator]: wrapped({ name: value }) } }
      const { operations } = await system.call(
        platform,
        `PATCH ${place}`,
        { params: scope, body },
        randomUUID(),
      )
      return operations[0]?.operationId ?? ''
    },
    async detach(bundleInstallId) {
      const path = 'POST /installations/{bundleInstallId}/detach'
      const call = { params: { bundleInstallId }, body: { reason: 'The shop is closed' } }
      return (await system.call(platform, path, call, randomUUID())).operation.operationId
    },
    async takeOver(operationId) {
      const params = { operationId }
      const { run } = await system.call(platform, 'GET /operations/{operationId}', { params })
      const call = { params, body: { run, reason: 'The shop is closed' } }
      const path = 'POST /operations/{operationId}/takeover'
      return (await system.call(platform, path, call, randomUUID())).operation.operationId
    },
    async ended(operationId) {
      await system.ended(operationId)
      return operationId
    },
    async resolve({ request }, secret) {
      const response = await fetch(new URL(RESOLVE, system.runtimeUrl), {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          contractVersion: '4.0.0',
          installation: request.installation,
          resource: locator,
          propertyKey: 'mail',
        }),
      })
      const { errorCode, data } = (await response.json()) as {
        errorCode: string
        data: { message?: string } & Record<string, JsonValue>
      }
      return { errorCode, message: data.message ?? '' }
    },
    async newCredential() {
      const call = { params: { pluginId: pluginId('registrar') }, body: {} }
      const made = await system.call(platform, 'POST /plugins/{pluginId}/credentials', call, randomUUID())
      return { credentialId: made.credentialId, secret: made.secret ?? '' }
    },
    async revoke(credentialId) {
      const params = { pluginId: pluginId('registrar'), credentialId }
      const path = 'DELETE /plugins/{pluginId}/credentials/{credentialId}'
      await system.call(platform, path, { params }, randomUUID())
    },
  }
}
