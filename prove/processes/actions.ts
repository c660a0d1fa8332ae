import type { Changes } from '#contract/runtime-api/common.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { bundleRef, coreValues } from '../bundles.ts'
import type { BundleName } from '../bundles.ts'
import type { Result, RetryingClient } from './retrying-client.ts'

// The writes of the process suites. A refusal that the caller does not expect is an error.

const CONFIGURATION = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'

export async function install(
  client: RetryingClient,
  scope: Scope,
  bundle: BundleName,
  { version, number }: { version: string; number: number },
): Promise<Operation> {
  const properties = coreValues(bundle, number)
  const body = { scope, bundle: bundleRef(bundle), targetVersion: version, properties }
  return accepted(await client.write('POST /installations', { body })).operation
}

/** Null where another save was faster. */
export async function save(
  client: RetryingClient,
  scope: Scope,
  changes: Changes,
): Promise<Operation[] | null> {
  const { snapshotVersion } = await client.read(`GET ${CONFIGURATION}`, { params: scope })
  const body = { snapshotVersion, changes }
  const result = await client.write(`PATCH ${CONFIGURATION}`, { params: scope, body })
  if (!result.isDone && result.errorCode === 'CONFIGURATION_SNAPSHOT_STALE') return null
  return accepted(result).operations
}

export async function upgrade(
  client: RetryingClient,
  bundleInstallId: string,
  targetVersion: string,
): Promise<Operation> {
  const call = { params: { bundleInstallId }, body: { targetVersion } }
  return accepted(await client.write('POST /installations/{bundleInstallId}/upgrade', call)).operation
}

export async function detach(client: RetryingClient, bundleInstallId: string): Promise<Operation> {
  const call = { params: { bundleInstallId }, body: { reason: 'the end' } }
  return accepted(await client.write('POST /installations/{bundleInstallId}/detach', call)).operation
}

export async function retry(client: RetryingClient, { operationId, run }: Operation): Promise<Operation> {
  const call = { params: { operationId }, body: { run } }
  return accepted(await client.write('POST /operations/{operationId}/retry', call)).operation
}

export async function takeOver(client: RetryingClient, { operationId, run }: Operation): Promise<Operation> {
  const call = { params: { operationId }, body: { run, reason: 'it does not work' } }
  return accepted(await client.write('POST /operations/{operationId}/takeover', call)).operation
}

function accepted<Data>(result: Result<Data>): Data {
  if (!result.isDone) throw new Error(`a write was refused with ${result.errorCode}`)
  return result.data
}
