import { mergedWrites, withWrites } from './merged-writes.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { ResourceToPut } from '../../model/ledger.ts'
import type { CallWrites } from '../../model/call.ts'
import type { OperationRow } from '../../model/operation.ts'

/** How the RESOURCES phase of an operation changes the ledger. */
export interface LedgerChange {
  gone: { bundleInstallId: string; locator: string }[]
  staying: ResourceToPut[]
}

/**
 * The frozen plan with the plugins' writes so far applied. A DETACH leaves the ledger unchanged until it succeeds,
 * because references still resolve while it is unfinished.
 */
export function ledgerChange({
  operation,
  plan,
  calls,
}: {
  operation: OperationRow
  plan: FrozenPlan
  calls: readonly CallWrites[]
}): LedgerChange {
  if (operation.operation_type === 'DETACH') return { gone: [], staying: [] }
  const owner = { bundleInstallId: operation.bundle_install_id, scopeId: operation.scope_id }
  const writes = mergedWrites(calls, operation.operation_type)
  const change: LedgerChange = { gone: [], staying: [] }
  for (const resource of plan.resources) {
    if (resource.action === 'DETACH') change.gone.push({ ...owner, locator: resource.locator })
    else {
      const properties = withWrites(resource, writes)
      change.staying.push({ ...resource, ...owner, operationId: operation.operation_id, properties })
    }
  }
  return change
}
