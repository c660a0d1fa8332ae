import { sql } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Db } from '../../model/db.ts'
import type { StoredValue } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { opening, isSealed, openingWith } from '../../sealing/sealed-value.ts'
import { snapshotPlace } from '../../sealing/places.ts'
import type { Properties } from './properties.ts'

/**
 * The sensitive values that an UPGRADE of an installation removed because its target did not hide them: of each
 * property the last change, if that removed a sealed value that no plugin had written. `since` is when the installation was
 * created; another installation's values are never read.
 */
export async function readPutAside(
  db: Db,
  vault: Vault,
  { scopeId, since }: { scopeId: number; since: string },
  properties: readonly { locator: string; property: string }[],
): Promise<Properties> {
  const found: Properties = new Map()
  if (properties.length === 0) return found
  const { rows } = await sql<{
    snapshot_version: number
    locator: string
    property: string
    before: StoredValue
  }>`
    select removal.snapshot_version, asked.locator, asked.property, removal.before
    from unnest(${properties.map(({ locator }) => locator)}::text[],
      ${properties.map(({ property }) => property)}::text[]) as asked (locator, property)
    cross join lateral (
      select snapshot_version, before, after from runtime.snapshot_change
      where scope_id = ${scopeId} and locator = asked.locator and property = asked.property
      order by snapshot_version desc limit 1) as removal
    join runtime.snapshot on snapshot.scope_id = ${scopeId}
      and snapshot.snapshot_version = removal.snapshot_version
    left join lateral (
      select manager from runtime.snapshot_change
      where scope_id = ${scopeId} and locator = asked.locator and property = asked.property
        and snapshot_version < removal.snapshot_version
      order by snapshot_version desc limit 1) as earlier on true
    where removal.after is null and removal.before is not null
      and snapshot.cause = 'UPGRADE' and snapshot.saved_at >= ${since}::timestamptz
      and coalesce(earlier.manager, 'person') not like 'plugin:%'`.execute(db)
  const open = openingWith(vault)
  await opening(vault, db, () => {
    for (const { snapshot_version: snapshotVersion, locator, property, before } of rows) {
      if (!isSealed(before)) continue
      const value = open(before, snapshotPlace({ scopeId, snapshotVersion, locator, property }, 'before'))
      found.set(locator, (found.get(locator) ?? new Map<string, TypedValue>()).set(property, value))
    }
  })
  return found
}

/** The CONFIGURE operations of one save. */
export interface SavedOperations {
  /** The ids of those that are stored, in the order of their creation. */
  operations: string[]
  /** How many the save started: one for each bundle that it changed. */
  started: number
}

/**
 * The CONFIGURE operations that saves started, by snapshot version. Only saves start them, both are written under the
 * lock of the scope, and the snapshot first: so they are those created until the next save.
 */
export async function readSavedOperations(
  db: Db,
  scopeId: number,
  snapshotVersions: readonly number[],
): Promise<ReadonlyMap<number, SavedOperations>> {
  const { rows } = await sql<SavedOperations & { snapshot_version: number }>`
    select snapshot.snapshot_version,
      array(
        select operation.operation_id::text from runtime.operation
        where operation.scope_id = snapshot.scope_id and operation.operation_type = 'CONFIGURE'
          and operation.created_at >= snapshot.saved_at
          and operation.created_at < coalesce(
            (select next.saved_at from runtime.snapshot as next
              where next.scope_id = snapshot.scope_id and next.snapshot_version > snapshot.snapshot_version
                and next.cause = 'SAVE'
              order by next.snapshot_version limit 1),
            'infinity')
        order by operation.operation_id) as operations,
      -- a locator begins with its bundle
      (select count(distinct (split_part(change.locator, '/', 1), split_part(change.locator, '/', 2)))
        from runtime.snapshot_change as change
        where change.scope_id = snapshot.scope_id and change.snapshot_version = snapshot.snapshot_version
      )::integer as started
    from runtime.snapshot
    where snapshot.scope_id = ${scopeId} and snapshot.cause = 'SAVE'
      and snapshot.snapshot_version = any(${[...snapshotVersions]}::bigint[])`.execute(db)
  return new Map(rows.map(({ snapshot_version, ...saved }) => [snapshot_version, saved]))
}
