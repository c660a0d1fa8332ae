import type { Operation } from '#contract/runtime-api/operations.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { until } from '#runtime/testing/stream.ts'
import { detach, install, save, upgrade } from '../actions.ts'
import type { ApiClient } from '../api-client.ts'
import { BUNDLES, coreValues } from '../bundles.ts'

const SCOPE: Scope = { environmentKey: 'prod', applicationRuntimeId: 'lifecycle', workspaceId: 1 }

/** INSTALL, CONFIGURE, UPGRADE and DETACH of one installation, each of which must succeed. */
export async function runLifecycle(client: ApiClient): Promise<void> {
  const [first, second] = BUNDLES.orders
  const installed = await install(client, SCOPE, first, coreValues('orders', 1))
  const { bundleInstallId } = installed.installation
  await succeeds(client, installed)
  for (const operation of (await save(client, SCOPE, coreValues('orders', 2))) ?? [])
    await succeeds(client, operation)
  await succeeds(client, await upgrade(client, bundleInstallId, second.version))
  await succeeds(client, await detach(client, bundleInstallId))
}

/** Waits for the end of an operation. The plugins have no faults, so only success is expected. */
const succeeds = (client: ApiClient, { operationId }: Operation): Promise<void> =>
  until(async () => {
    const { state, failure } = await client.read('GET /operations/{operationId}', { params: { operationId } })
    if (state === 'FAILED') throw new Error(`an operation failed with ${failure?.errorCode}`)
    return state === 'SUCCEEDED'
  })
