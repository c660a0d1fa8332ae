import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { ApiClient, Result } from './api-client.ts'

// What people do through the API. An unexpected error code is an error.

export interface PluginLimits {
  timeoutMs: number
  maxAttempts: number
  maxBackoffMs: number
}

export async function register(
  client: ApiClient,
  pluginId: string,
  endpoint: string,
  limits: PluginLimits,
): Promise<void> {
  const body = { title: pluginId, endpoint, enabled: true, ...limits }
  accepted(await client.write('PUT /plugins/{pluginId}', { params: { pluginId }, body }))
}

export async function publish(client: ApiClient, manifest: AuthorManifest): Promise<void> {
  const params = { ...manifest.bundle, version: manifest.version }
  const call = { params, body: manifest }
  accepted(await client.write('PUT /bundles/{environmentKey}/{bundleId}/versions/{version}', call))
}

export async function install(
  client: ApiClient,
  scope: Scope,
  { bundle, version: targetVersion }: Pick<AuthorManifest, 'bundle' | 'version'>,
  properties: Changes,
): Promise<Operation> {
  const body = { scope, bundle, targetVersion, properties }
  return accepted(await client.write('POST /installations', { body })).operation
}

const CONFIGURATION = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'

export const readConfiguration = (client: ApiClient, scope: Scope) =>
  client.read(`GET ${CONFIGURATION}`, { params: scope })

/** Null if another save was faster. */
export async function save(client: ApiClient, scope: Scope, changes: Changes): Promise<Operation[] | null> {
  const { snapshotVersion } = await readConfiguration(client, scope)
  const body = { snapshotVersion, changes }
  const result = await client.write(`PATCH ${CONFIGURATION}`, { params: scope, body })
  if (!result.isDone && result.errorCode === 'CONFIGURATION_SNAPSHOT_STALE') return null
  return accepted(result).operations
}

export async function upgrade(
  client: ApiClient,
  bundleInstallId: string,
  targetVersion: string,
): Promise<Operation> {
  const call = { params: { bundleInstallId }, body: { targetVersion } }
  return accepted(await client.write('POST /installations/{bundleInstallId}/upgrade', call)).operation
}

export async function detach(client: ApiClient, bundleInstallId: string): Promise<Operation> {
  const call = { params: { bundleInstallId }, body: { reason: 'the end' } }
  return accepted(await client.write('POST /installations/{bundleInstallId}/detach', call)).operation
}

type FailedRun = Pick<Operation, 'operationId' | 'run'>

export async function retry(client: ApiClient, { operationId, run }: FailedRun): Promise<Operation> {
  const call = { params: { operationId }, body: { run } }
  return accepted(await client.write('POST /operations/{operationId}/retry', call)).operation
}

export async function takeOver(client: ApiClient, { operationId, run }: FailedRun): Promise<Operation> {
  const call = { params: { operationId }, body: { run, reason: 'it does not work' } }
  return accepted(await client.write('POST /operations/{operationId}/takeover', call)).operation
}

function accepted<Data>(result: Result<Data>): Data {
  if (!result.isDone) throw new Error(`a write was refused with ${result.errorCode}`)
  return result.data
}
