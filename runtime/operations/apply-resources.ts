import { deleteResources } from '../store/operations/delete-resources.ts'
import { putResources } from '../store/operations/put-resources.ts'
import type { Tx } from '../world.ts'
import { mergedWrites, withWrites } from './merged-writes.ts'
import type { CallWrites } from './merged-writes.ts'
import type { FrozenPlan } from './plan.ts'
import type { OperationRow } from './view.ts'

/**
 * The RESOURCES phase: applies the frozen plan, with what plugins wrote so far on top, to the ledger and verifies it. A
 * DETACH leaves the ledger as it is until it succeeds: while it is unfinished, references still resolve.
 */
export async function applyResources(
  tx: Tx,
  { operation, plan, calls }: { operation: OperationRow; plan: FrozenPlan; calls: readonly CallWrites[] },
): Promise<void> {
  if (operation.operation_type === 'DETACH') return
  const { bundle_install_id: bundleInstallId, scope_id: scopeId } = operation
  const writes = mergedWrites(calls, operation.operation_type)
  const gone = plan.resources.filter(({ action }) => action === 'DETACH')
  if (gone.length > 0)
    await deleteResources(
      tx,
      bundleInstallId,
      gone.map(({ locator }) => locator),
    )
  const staying = plan.resources.filter(({ action }) => action !== 'DETACH')
  await putResources(
    tx,
    { bundleInstallId, scopeId },
    staying.map((resource) => ({ ...resource, properties: withWrites(resource, writes) })),
  )
}
