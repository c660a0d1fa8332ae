import { mergedWrites, withWrites } from './merged-writes.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { ResourceToPut } from '../../model/ledger.ts'
import type { CallWrites } from '../../model/call.ts'
import type { OperationRow } from '../../model/operation.ts'

/** What the RESOURCES phase of an operation changes in the ledger. */
export interface LedgerChange {
  gone: { bundleInstallId: string; locator: string }[]
  staying: ResourceToPut[]
}

/**
 * The frozen plan with what plugins wrote so far on top. A DETACH leaves the ledger as it is until it succeeds: while it
 * is unfinished, references still resolve.
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
