import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { insertSnapshots } from './snapshots.ts'

export type ScopeRow = Selectable<RuntimeTables['runtime.scope']>

/** Returns the row of a scope, or undefined if nothing was ever installed or saved in it. */
export function findScope(db: Db, scope: Scope): Promise<ScopeRow | undefined> {
  return db
    .selectFrom('runtime.scope')
    .selectAll()
    .where('environment_key', '=', scope.environmentKey)
    .where('application_runtime_id', '=', scope.applicationRuntimeId)
    .where('workspace_id', '=', scope.workspaceId)
    .executeTakeFirst()
}

/** Returns the rows of scopes, by id. */
export async function findScopes(db: Db, scopeIds: readonly number[]): Promise<Map<number, ScopeRow>> {
  const rows = await db
    .selectFrom('runtime.scope')
    .selectAll()
    .where('scope_id', '=', sql<number>`any(${[...scopeIds]}::bigint[])`)
    .execute()
  return new Map(rows.map((row) => [row.scope_id, row]))
}

export function scopeOf(row: {
  environment_key: string
  application_runtime_id: string
  workspace_id: number
}): Scope {
  return {
    environmentKey: row.environment_key,
    applicationRuntimeId: row.application_runtime_id,
    workspaceId: row.workspace_id,
  }
}

/**
 * Locks the row of a scope until the transaction ends, and returns it. Every change of the scope's configuration and
 * every first claim on one of its installations holds this lock, so what is read after it stays true until the
 * commit.
 */
export function lockScope(tx: Tx, scope: Scope): Promise<ScopeRow | undefined> {
  return tx
    .selectFrom('runtime.scope')
    .selectAll()
    .where('environment_key', '=', scope.environmentKey)
    .where('application_runtime_id', '=', scope.applicationRuntimeId)
    .where('workspace_id', '=', scope.workspaceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/**
 * Returns the current snapshots of scopes, locked in the order of their ids. Every change of a configuration takes
 * this lock before any other. A scope that another session has locked is awaited, or with `skipLocked` left out.
 */
export async function lockScopes(
  tx: Tx,
  scopeIds: readonly number[],
  { skipLocked }: { skipLocked: boolean },
): Promise<Map<number, number>> {
  if (scopeIds.length === 0) return new Map()
  const found = await sql<{ scope_id: number; snapshot_version: number }>`
    select scope_id, snapshot_version
    from runtime.scope
    where scope_id = any(${[...scopeIds]}::bigint[])
    order by scope_id
    for no key update ${skipLocked ? sql`skip locked` : sql``}`.execute(tx)
  return new Map(found.rows.map((row) => [row.scope_id, row.snapshot_version]))
}

/** Returns the locked row of a scope. Creates it with its first snapshot if it does not exist. */
export async function makeScope(tx: Tx, scope: Scope, actor: Actor): Promise<ScopeRow> {
  const made = await tx
    .insertInto('runtime.scope')
    .values({
      environment_key: scope.environmentKey,
      application_runtime_id: scope.applicationRuntimeId,
      workspace_id: scope.workspaceId,
      saved_by_id: actor.id,
      saved_by_name: actor.name,
    })
    .onConflict((conflict) =>
      conflict.columns(['environment_key', 'application_runtime_id', 'workspace_id']).doNothing(),
    )
    .returning(['scope_id', 'snapshot_version', 'saved_at'])
    .executeTakeFirst()
  if (made !== undefined) {
    const created = {
      scopeId: made.scope_id,
      snapshotVersion: made.snapshot_version,
      savedAt: made.saved_at,
      savedBy: actor,
      reason: null,
      cause: 'CREATED',
      operationId: null,
    } as const
    await insertSnapshots(tx, [created])
  }
  const row = await lockScope(tx, scope)
  if (row === undefined) throw new Error('The scope that was just created is missing')
  return row
}

/**
 * Advances a scope from the given snapshot to the next one. Returns the new version and its time, or undefined if the
 * scope is no longer at that snapshot.
 */
export function advanceScope(
  tx: Tx,
  scopeId: number,
  from: number,
  savedBy: Person,
): Promise<{ snapshot_version: number; saved_at: string } | undefined> {
  return tx
    .updateTable('runtime.scope')
    .set({
      snapshot_version: sql<number>`snapshot_version + 1`,
      saved_at: sql<string>`clock_timestamp()`,
      saved_by_id: savedBy.id,
      saved_by_name: savedBy.name,
    })
    .where('scope_id', '=', scopeId)
    .where('snapshot_version', '=', from)
    .returning(['snapshot_version', 'saved_at'])
    .executeTakeFirst()
}

interface ScopeToAdvance {
  scopeId: number
  /** The snapshot that the scope must be at. */
  from: number
  /** The number of snapshots to advance by. */
  by: number
  /** The person who made the last of them. */
  savedBy: Person
}

/**
 * Advances locked scopes from the given snapshots. Returns the times by scope. Throws if a scope is not at its
 * snapshot.
 */
export async function advanceScopes(tx: Tx, scopes: readonly ScopeToAdvance[]): Promise<Map<number, string>> {
  const advanced = await sql<{ scope_id: number; saved_at: string }>`
    update runtime.scope
    set snapshot_version = snapshot_version + moving.by, saved_at = clock_timestamp(),
      saved_by_id = moving.saved_by_id, saved_by_name = moving.saved_by_name
    from unnest(
      ${scopes.map(({ scopeId }) => scopeId)}::bigint[],
      ${scopes.map(({ from }) => from)}::bigint[],
      ${scopes.map(({ by }) => by)}::integer[],
      ${scopes.map(({ savedBy }) => savedBy.id)}::text[],
      ${scopes.map(({ savedBy }) => savedBy.name)}::text[])
      as moving (scope_id, at, by, saved_by_id, saved_by_name)
    where scope.scope_id = moving.scope_id and scope.snapshot_version = moving.at
    returning scope.scope_id, scope.saved_at`.execute(tx)
  if (advanced.rows.length !== scopes.length) throw new Error('a locked scope changed its snapshot')
  return new Map(advanced.rows.map((row) => [row.scope_id, row.saved_at]))
}
