import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Tx } from '../../world.ts'
import { inBatches } from '../batches.ts'

export interface SnapshotChange {
  locator: string
  property: string
  isSensitive: boolean
  before: TypedValue | null
  after: TypedValue | null
}

/** What a snapshot changed, with the values themselves: a later snapshot is undone by them. */
export async function insertSnapshotChanges(
  tx: Tx,
  at: { scopeId: number; snapshotVersion: number },
  changes: readonly SnapshotChange[],
): Promise<void> {
  const rows = changes.map((change) => ({
    scope_id: at.scopeId,
    snapshot_version: at.snapshotVersion,
    locator: change.locator,
    property: change.property,
    is_sensitive: change.isSensitive,
    before: change.before === null ? null : JSON.stringify(change.before),
    after: change.after === null ? null : JSON.stringify(change.after),
  }))
  for (const batch of inBatches(rows)) await tx.insertInto('runtime.snapshot_change').values(batch).execute()
}
