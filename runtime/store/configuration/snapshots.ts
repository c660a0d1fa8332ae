import { sql, type Selectable, type SqlBool } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import type { Tx, Db } from '../../model/db.ts'
import type { StoredValue } from '../../model/plan.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { untilFull, type OfFullPage } from '../full-page.ts'
import type { Vault } from '../../model/vault.ts'
import { snapshotPlace } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/sealed-value.ts'

interface NewSnapshot {
  scopeId: number
  snapshotVersion: number
  savedAt: string
  savedBy: Person
  reason: string | null
  cause: RuntimeTables['runtime.snapshot']['cause']
  /** The operation whose success created the snapshot. */
  operationId: string | null
}

export async function insertSnapshots(tx: Tx, snapshots: readonly NewSnapshot[]): Promise<void> {
  const rows = snapshots.map((snapshot) => ({
    scope_id: snapshot.scopeId,
    snapshot_version: snapshot.snapshotVersion,
    saved_at: snapshot.savedAt,
    saved_by_id: snapshot.savedBy.id,
    saved_by_name: snapshot.savedBy.name,
    reason: snapshot.reason,
    cause: snapshot.cause,
    operation_id: snapshot.operationId,
  }))
  await tx.insertInto('runtime.snapshot').values(rows).execute()
}

interface SnapshotChange {
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

export function findSnapshot(
  db: Db,
  scopeId: number,
  snapshotVersion: number,
): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom('runtime.snapshot')
    .selectAll()
    .where('scope_id', '=', scopeId)
    .where('snapshot_version', '=', snapshotVersion)
    .executeTakeFirst()
}

type SnapshotRow = Selectable<RuntimeTables['runtime.snapshot']>

interface SnapshotFilter {
  locator?: string | undefined
  property?: string | undefined
  savedBy?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/**
 * The snapshots of a scope below `before`, newest first. A filter keeps those that changed a matching property.
 * `is_stored` is false if retention has removed the operation that wrote the snapshot.
 */
export async function listSnapshots(
  db: Db,
  scopeId: number,
  {
    locator,
    property,
    savedBy,
    since,
    until,
    before,
    limit,
  }: SnapshotFilter & { before?: number | undefined; limit: number },
): Promise<(SnapshotRow & { is_stored: SqlBool } & OfFullPage)[]> {
  let query = db
    .selectFrom('runtime.snapshot as snapshot')
    .selectAll('snapshot')
    .select((eb) =>
      eb
        .or([
          eb('snapshot.operation_id', 'is', null),
          eb.exists(
            eb
              .selectFrom('runtime.operation as operation')
              .select('operation.operation_id')
              .whereRef('operation.operation_id', '=', 'snapshot.operation_id'),
          ),
        ])
        .as('is_stored'),
    )
    .where('snapshot.scope_id', '=', scopeId)
    .orderBy('snapshot.snapshot_version', 'desc')
    .limit(limit)
  if (before !== undefined) query = query.where('snapshot.snapshot_version', '<', before)
  if (savedBy !== undefined) query = query.where('snapshot.saved_by_id', '=', savedBy)
  if (since !== undefined) query = query.where('snapshot.saved_at', '>=', since)
  if (until !== undefined) query = query.where('snapshot.saved_at', '<', until)
  if (locator !== undefined || property !== undefined) {
    query = query.where((eb) => {
      let change = eb
        .selectFrom('runtime.snapshot_change as change')
        .select('change.property')
        .whereRef('change.scope_id', '=', 'snapshot.scope_id')
        .whereRef('change.snapshot_version', '=', 'snapshot.snapshot_version')
      if (locator !== undefined) change = change.where('change.locator', '=', locator)
      if (property !== undefined) change = change.where('change.property', '=', property)
      return eb.exists(change)
    })
  }
  const changes = sql`(select json_agg(json_build_array(change.before, change.after))
    from runtime.snapshot_change as change
    where change.scope_id = entry.scope_id and change.snapshot_version = entry.snapshot_version
      and change.locator = coalesce(${locator ?? null}, change.locator)
      and change.property = coalesce(${property ?? null}, change.property))`
  const page = { order: sql`snapshot_version desc`, values: [changes] }
  const { rows } = await untilFull<SnapshotRow & { is_stored: SqlBool }>(sql`${query}`, page).execute(db)
  return rows
}

export type SnapshotChangeRow = Selectable<RuntimeTables['runtime.snapshot_change']>

/** The changes of the given snapshots of a scope, optionally filtered. */
export function readSnapshotChanges(
  db: Db,
  scopeId: number,
  snapshotVersions: readonly number[],
  { locator, property }: SnapshotFilter = {},
): Promise<SnapshotChangeRow[]> {
  let query = db
    .selectFrom('runtime.snapshot_change')
    .selectAll()
    .where('scope_id', '=', scopeId)
    .where('snapshot_version', '=', sql<number>`any(${[...snapshotVersions]}::bigint[])`)
    .orderBy('locator')
    .orderBy('property')
  if (locator !== undefined) query = query.where('locator', '=', locator)
  if (property !== undefined) query = query.where('property', '=', property)
  return query.execute()
}

/** For each property that changed after a snapshot, returns its value at the snapshot. */
export async function readLaterChanges(
  db: Db,
  scopeId: number,
  snapshotVersion: number,
): Promise<{ locator: string; property: string; before: StoredValue | null }[]> {
  const { rows } = await sql<{ locator: string; property: string; before: StoredValue | null }>`
    select distinct on (locator, property) locator, property, before
    from runtime.snapshot_change
    where scope_id = ${scopeId} and snapshot_version > ${snapshotVersion}
    order by locator, property, snapshot_version`.execute(db)
  return rows
}

const PEOPLE_MAX = 1000

/**
 * The people who saved snapshots of a scope, each with the name in their newest snapshot, ordered by id; at most 1,000. The
 * index `snapshot_saver` finds each after the one before, so the time depends on the number of people, not of saves.
 */
export async function listSavers(db: Db, scopeId: number): Promise<Person[]> {
  const { rows } = await sql<Person>`
    with recursive saver as (
      (select saved_by_id as id, saved_by_name as name, 1 as nth
        from runtime.snapshot where scope_id = ${scopeId}
        order by saved_by_id, snapshot_version desc limit 1)
      union all
      select next.id, next.name, saver.nth + 1
      from saver cross join lateral (
        select saved_by_id as id, saved_by_name as name
        from runtime.snapshot where scope_id = ${scopeId} and saved_by_id > saver.id
        order by saved_by_id, snapshot_version desc limit 1) as next
      where saver.nth < ${PEOPLE_MAX}
    )
    select id, name from saver order by nth`.execute(db)
  return rows
}

/** A property of a scope, with the snapshot that changed it last. */
interface LastChange {
  locator: string
  property: string
  saved_at: string
  saved_by_id: string
  saved_by_name: string
}

/** When properties of a scope changed last, and by whom: one look-up for each. */
export async function readLastChanges(
  db: Db,
  scopeId: number,
  properties: readonly { locator: string; property: string }[],
): Promise<LastChange[]> {
  if (properties.length === 0) return []
  const { rows } = await sql<LastChange>`
    select asked.*, snapshot.saved_at, snapshot.saved_by_id, snapshot.saved_by_name
    from unnest(${properties.map(({ locator }) => locator)}::text[],
      ${properties.map(({ property }) => property)}::text[]) as asked (locator, property)
    join lateral (
      select snapshot_version from runtime.snapshot_change
      where scope_id = ${scopeId} and locator = asked.locator and property = asked.property
      order by snapshot_version desc limit 1) as change on true
    join runtime.snapshot as snapshot on snapshot.scope_id = ${scopeId}
      and snapshot.snapshot_version = change.snapshot_version`.execute(db)
  return rows
}

/** PostgreSQL accepts at most 65,535 parameters in one statement, and a row has up to ten. */
const BATCH = 5000

export function* inBatches<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += BATCH) yield rows.slice(start, start + BATCH)
}
