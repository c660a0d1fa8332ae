import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import { snapshotPlace } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'
import { inBatches } from '../batches.ts'
import type { Tx } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'

export interface SnapshotChange {
  scopeId: number
  snapshotVersion: number
  locator: string
  property: string
  isSensitive: boolean
  before: TypedValue | null
  after: TypedValue | null
  /** The manager since this change; null if the value is removed. */
  manager: Manager | null
}

/** Records the changes of snapshots with their values, so that a later read can undo them. */
export async function insertSnapshotChanges(
  tx: Tx,
  vault: Vault,
  changes: readonly SnapshotChange[],
): Promise<void> {
  const seal = sealingWith(vault)
  const sealed = (change: SnapshotChange, side: 'before' | 'after'): string | null =>
    change[side] === null ? null : JSON.stringify(seal(change[side], snapshotPlace(change, side), change))
  const rows = changes.map((change) => ({
    scope_id: change.scopeId,
    snapshot_version: change.snapshotVersion,
    locator: change.locator,
    property: change.property,
    is_sensitive: change.isSensitive,
    before: sealed(change, 'before'),
    after: sealed(change, 'after'),
    manager: change.manager,
  }))
  for (const batch of inBatches(rows)) await tx.insertInto('runtime.snapshot_change').values(batch).execute()
}
