import type { LedgerRow } from '../../model/ledger.ts'
import type { PlannedResource } from '../../model/plan.ts'
/** A resource that an operation takes away, with these values. */
export function detachedResource(row: LedgerRow, properties: PlannedResource['properties']): PlannedResource {
  return {
    locator: row.locator,
    kind: row.kind,
    title: row.title,
    moduleId: row.module_id,
    action: 'DETACH',
    currentVersion: row.version,
    targetVersion: row.version,
    properties,
    definitions: row.definitions,
    writtenBy: row.written_by,
  }
}
