import type { Scope } from '#contract/protocol/scope.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { Profile } from '../../packages/plugin-check/src/profile.ts'
import type { DemoCaller, DemoPerson } from '../../demo/caller.ts'
import { platform as person } from '../../demo/people.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { bundleOf, servicesOf, valuesOf } from './bundle.ts'

export const SCOPE: Scope = { environmentKey: 'dev', applicationRuntimeId: 'plugin-dev', workspaceId: 1 }
const VERSIONS = ['1.0.0', '1.1.0'] as const
/** A delayed response comes later than this. */
export const TIMEOUT_MS = 5_000

/** The operations of the one installation of the plugin's bundle. */
export interface Operations {
  /** Starts an operation. Throws an error of the runtime if it is not possible now. */
  start(type: OperationType): Promise<Operation>
  /** The newest first. */
  list(): Promise<Operation[]>
}

/** Registers plugin, services and both versions of the bundle; may be called again. */
export async function registerAll(
  call: DemoCaller,
  profile: Profile,
  addresses: { plugin: string; services: string },
): Promise<Operations> {
  const { pluginId } = profile
  const write = <Result>(run: (step: string) => Promise<Result>): Promise<Result> => run(crypto.randomUUID())
  await write((step) =>
    call(
      person,
      'PUT /plugins/{pluginId}',
      {
        params: { pluginId },
        body: { title: pluginId, endpoint: addresses.plugin, enabled: true, timeoutMs: TIMEOUT_MS },
      },
      step,
    ),
  )
  for (const serviceId of servicesOf(profile)) {
    const methods = profile.events[serviceId] ?? []
    const service = { title: serviceId, url: `${addresses.services}/${serviceId}`, methods, owner: null }
    const body = { ...service, consumers: [SCOPE], enabled: true }
    await write((step) => call(person, 'PUT /services/{serviceId}', { params: { serviceId }, body }, step))
  }
  const manifests = VERSIONS.map((version) => bundleOf(profile, version))
  for (const manifest of manifests) await publish(call, person, manifest)
  const [{ bundle } = bundleOf(profile, VERSIONS[0])] = manifests

  const installation = async () => {
    const query = { ...SCOPE, bundleId: bundle.bundleId, limit: 1 }
    const { items } = await call(person, 'GET /installations', { query })
    return items[0]
  }
  const bundleInstallId = async (): Promise<string> =>
    (await installation())?.installation.bundleInstallId ?? 'none'
  const configuration = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'

  const install = (step: string) => {
    const body = {
      scope: SCOPE,
      bundle,
      targetVersion: VERSIONS[0],
      properties: valuesOf(profile, 'properties'),
    }
    return call(person, 'POST /installations', { body }, step)
  }
  const configure = async (step: string) => {
    const { snapshotVersion } = await call(person, `GET ${configuration}`, { params: SCOPE })
    const { items } = await call(person, 'GET /operations', {
      query: { ...SCOPE, operationType: 'CONFIGURE' },
    })
    // every other time back to the values of INSTALL, so that there is always something to change
    const changes = valuesOf(profile, items.length % 2 === 0 ? 'changed' : 'properties')
    const body = { snapshotVersion, changes }
    const saved = await call(person, `PATCH ${configuration}`, { params: SCOPE, body }, step)
    const [operation] = saved.operations
    if (operation === undefined) throw new SettingsError('The profile has no "changed" values to configure')
    return { operation }
  }
  const upgrade = async (step: string) =>
    call(
      person,
      'POST /installations/{bundleInstallId}/upgrade',
      { params: { bundleInstallId: await bundleInstallId() }, body: { targetVersion: VERSIONS[1] } },
      step,
    )
  const detach = async (step: string) =>
    call(
      person,
      'POST /installations/{bundleInstallId}/detach',
      { params: { bundleInstallId: await bundleInstallId() }, body: { reason: 'plugin-dev' } },
      step,
    )
  const starts = { INSTALL: install, CONFIGURE: configure, UPGRADE: upgrade, DETACH: detach }
  return {
    start: async (type) => (await write<{ operation: Operation }>(starts[type])).operation,
    list: async () => (await call(person, 'GET /operations', { query: { ...SCOPE, limit: 20 } })).items,
  }
}

async function publish(
  call: DemoCaller,
  by: DemoPerson,
  manifest: ReturnType<typeof bundleOf>,
): Promise<void> {
  const { bundle, version } = manifest
  const params = { ...bundle, version }
  try {
    await call(
      by,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      { params, body: manifest },
      crypto.randomUUID(),
    )
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'VERSION_EXISTS')) throw error
    throw new SettingsError(
      'The resources of the profile have changed since this folder was created. Name another one with --data, or delete it.',
      { cause: error },
    )
  }
}
