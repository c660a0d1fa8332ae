import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Failure, Person } from '#contract/runtime-api/common.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx, Db } from '../../model/db.ts'
import type { Lease } from '../../model/call.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Obstacle } from '../../model/situations.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { visibleTo } from '../visible-scopes.ts'
import { installationTitle, obstacleOf } from './calls.ts'
import { leaseRows, lockedOf } from './leases.ts'

interface NewOperation {
  operationId: string
  bundleInstallId: string
  operationType: OperationType
  currentVersion: string | null
  targetVersion: string
  takesOver: string | null
  requestedById: string
  requestedByName: string
  reason: string | null
  overridden: boolean
  /** The plugin of the first call; empty if there is none. */
  nextPlugin: string
}

/**
 * Inserts an operation. Returns it, or null if another operation holds the claim of the installation, or if it or its
 * scope has no number left for this operation and the snapshot of its success.
 */
export async function insertOperation(tx: Tx, operation: NewOperation): Promise<OperationRow | null> {
  // the row of the installation issues the sequence, so concurrent inserts already conflict here
  const inserted = await sql<OperationRow>`
    with installation as (
      update runtime.installation
      set last_execution_sequence = last_execution_sequence + 1, updated_at = clock_timestamp()
      where bundle_install_id = ${operation.bundleInstallId} and last_execution_sequence < ${Number.MAX_SAFE_INTEGER}
        and exists (
          select from runtime.scope
          where scope.scope_id = installation.scope_id and snapshot_version < ${Number.MAX_SAFE_INTEGER})
      returning *
    )
    insert into runtime.operation (
      operation_id, bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, operation_type, current_version, target_version, execution_sequence,
      state, phase, takes_over, requested_by_id, requested_by_name, reason, overridden, next_plugin, paused)
    select ${operation.operationId}::uuid, bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, ${operation.operationType}, ${operation.currentVersion},
      ${operation.targetVersion}, last_execution_sequence,
      'PENDING', 'BEFORE_RESOURCES', ${operation.takesOver}::uuid, ${operation.requestedById},
      ${operation.requestedByName}, ${operation.reason}, ${operation.overridden}, ${operation.nextPlugin},
      exists (select from runtime.pause where pause.scope_id = installation.scope_id)
    from installation
    on conflict (bundle_install_id) where holds_claim do nothing
    returning *`.execute(tx)
  return inserted.rows[0] ?? null
}

/** The numbers that the last operation of an installation and the last snapshot of its scope have. */
export function lastNumbers(
  tx: Tx,
  bundleInstallId: string,
): Promise<{ last_execution_sequence: number; snapshot_version: number } | undefined> {
  return tx
    .selectFrom('runtime.installation as installation')
    .innerJoin('runtime.scope as scope', 'scope.scope_id', 'installation.scope_id')
    .where('installation.bundle_install_id', '=', bundleInstallId)
    .select(['installation.last_execution_sequence', 'scope.snapshot_version'])
    .executeTakeFirst()
}

/** An operation, with the title of its installation, and what stands in its way. */
export type TitledOperation = OperationRow & { installation_title: string; obstacle?: Obstacle | null }

export async function findOperation(db: Db, operationId: string): Promise<TitledOperation | undefined> {
  const [found] = await findOperations(db, [operationId])
  return found
}

/** Those of the operations that exist, in no order. */
export function findOperations(db: Db, operationIds: readonly string[]): Promise<TitledOperation[]> {
  return db
    .selectFrom('runtime.operation as operation')
    .selectAll()
    .select(installationTitle().as('installation_title'))
    .select(obstacleOf('operation').as('obstacle'))
    .where('operation_id', '=', sql<string>`any(${[...operationIds]}::uuid[])`)
    .execute()
}

/** The last operation of the installation before this one that succeeded. */
export async function findLastGood(
  db: Db,
  { bundle_install_id, execution_sequence }: OperationRow,
): Promise<{ operation_id: string; operation_type: OperationType; finished_at: string } | null> {
  const { rows } = await sql<{ operation_id: string; operation_type: OperationType; finished_at: string }>`
    select operation_id, operation_type, finished_at from runtime.operation
    where bundle_install_id = ${bundle_install_id}::uuid and execution_sequence < ${execution_sequence}
      and state = 'SUCCEEDED' and finished_at is not null
    order by execution_sequence desc limit 1`.execute(db)
  return rows[0] ?? null
}

/** Among how many of the newest operations of a bundle siblings are looked for. */
const SIBLINGS_LOOKED_AT = 2_000

/**
 * Operations of the same type on other installations of the bundle that succeeded and that the actor may read: to the same
 * version first, then the newest.
 */
export async function listSiblings(
  db: Db,
  actor: Actor,
  operation: OperationRow,
  limit: number,
): Promise<TitledOperation[]> {
  const { rows } = await sql<TitledOperation>`
    select operation.*, ${installationTitle()} as installation_title
    from (
      select * from (
        select * from runtime.operation where bundle_id = ${operation.bundle_id}
        order by created_at desc, operation_id desc limit ${SIBLINGS_LOOKED_AT}) as newest
      where bundle_environment_key = ${operation.bundle_environment_key}
        and operation_type = ${operation.operation_type} and state = 'SUCCEEDED' and finished_at is not null
        and bundle_install_id <> ${operation.bundle_install_id}::uuid and ${visibleTo(actor, 'read', 'newest')}
      order by target_version = ${operation.target_version} desc, created_at desc, operation_id desc
      limit ${limit}
    ) as operation
    order by target_version = ${operation.target_version} desc, created_at desc, operation_id desc`.execute(
    db,
  )
  return rows
}

/**
 * Locks an operation until the transaction ends, so that no worker and no other person changes it, and returns it.
 */
export function lockOperation(tx: Tx, operationId: string): Promise<TitledOperation | undefined> {
  return tx
    .selectFrom('runtime.operation as operation')
    .selectAll()
    .select(installationTitle().as('installation_title'))
    .select(obstacleOf('operation').as('obstacle'))
    .where('operation_id', '=', operationId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Locks operations in the order of their ids, in which everybody does who locks several, and returns them. */
export async function lockOperations(tx: Tx, operationIds: readonly string[]): Promise<TitledOperation[]> {
  const { rows } = await sql<TitledOperation>`
    select operation.*, ${installationTitle()} as installation_title from runtime.operation as operation
    where operation_id = any(${[...operationIds]}::uuid[])
    order by operation_id for no key update`.execute(tx)
  return rows
}

interface LockedOperation {
  operation: OperationRow
  /** The time of the database. */
  now: string
}

/**
 * Returns the operations that the worker still holds, locked in the order of their ids, and the time of the database.
 * An operation that another session has locked is awaited, or with `skipLocked` left out as if it were not held.
 */
export async function lockLeased(
  tx: Tx,
  leases: readonly Lease[],
  { skipLocked }: { skipLocked: boolean },
): Promise<LockedOperation[]> {
  const found = await sql<OperationRow & { now: string }>`
    with lease as (select * from ${leaseRows(leases)})
    select operation.*, clock_timestamp() as now
    from (${lockedOf(sql`*`, { skipLocked })}) as operation`.execute(tx)
  return found.rows.map(({ now, ...operation }) => ({ operation, now }))
}

interface ClaimHolder {
  bundleInstallId: string
  bundleId: string
  operationId: string
  operationType: OperationType
  state: OperationState
}

/** Returns the operations that claim these installations, unfinished ones first. */
export async function claimHolders(db: Db, bundleInstallIds: readonly string[]): Promise<ClaimHolder[]> {
  if (bundleInstallIds.length === 0) return []
  const rows = await db
    .selectFrom('runtime.operation')
    .select(['bundle_install_id', 'bundle_id', 'operation_id', 'operation_type', 'state'])
    .where('bundle_install_id', 'in', bundleInstallIds)
    .where('holds_claim', '=', true)
    .orderBy((row) => row.eb('state', '=', 'FAILED'))
    .orderBy('operation_id')
    .execute()
  return rows.map((row) => ({
    bundleInstallId: row.bundle_install_id,
    bundleId: row.bundle_id,
    operationId: row.operation_id,
    operationType: row.operation_type,
    state: row.state,
  }))
}

/**
 * Returns operations that were taken over in earlier, detached installations of the same bundle in the same scope.
 */
export function findTakenOver(
  db: Db,
  { scope_id, ...of }: Pick<OperationRow, PlaceColumn | 'scope_id'>,
): Promise<OperationRow[]> {
  return db
    .selectFrom('runtime.installation as installation')
    .innerJoin(
      'runtime.operation as operation',
      'operation.bundle_install_id',
      'installation.bundle_install_id',
    )
    .selectAll('operation')
    .where('installation.environment_key', '=', of.environment_key)
    .where('installation.application_runtime_id', '=', of.application_runtime_id)
    .where('installation.workspace_id', '=', of.workspace_id)
    .where('installation.bundle_environment_key', '=', of.bundle_environment_key)
    .where('installation.bundle_id', '=', of.bundle_id)
    .where('installation.scope_id', '=', scope_id)
    .where('installation.state', '=', 'DETACHED')
    .where('operation.state', '=', 'TAKEN_OVER')
    .execute()
}

type PlaceColumn =
  | 'environment_key'
  | 'application_runtime_id'
  | 'workspace_id'
  | 'bundle_environment_key'
  | 'bundle_id'

/** Replaces the stored failure of an operation. */
export async function putFailure(tx: Tx, operationId: string, failure: Failure): Promise<void> {
  await tx
    .updateTable('runtime.operation')
    .set({ failure: JSON.stringify(failure) })
    .where('operation_id', '=', operationId)
    .execute()
}

export type NoteRow = Selectable<RuntimeTables['runtime.operation_note']>

/** Assigns operations to a person, or to nobody. They are locked. */
export async function updateAssignees(
  tx: Tx,
  operationIds: readonly string[],
  person: Person | null,
): Promise<void> {
  await sql`update runtime.operation set assignee_id = ${person?.id ?? null}, assignee_name = ${person?.name ?? null}
    where operation_id = any(${[...operationIds]}::uuid[])`.execute(tx)
}

/** Returns the name under which a person last acted; undefined if they never did. */
export async function findPersonName(tx: Tx, personId: string): Promise<string | undefined> {
  const { rows } = await sql<{ actor_name: string }>`
    select actor_name from runtime.audit_entry where actor_id = ${personId}
    order by sequence desc limit 1`.execute(tx)
  return rows[0]?.actor_name
}

/** Adds a note with this number. The operation is locked. */
export function insertNote(
  tx: Tx,
  {
    operationId,
    number,
    author,
    text,
  }: { operationId: string; number: number; author: Person; text: string },
): Promise<NoteRow> {
  return tx
    .insertInto('runtime.operation_note')
    .values({ operation_id: operationId, number, author_id: author.id, author_name: author.name, text })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns the notes of an operation, oldest first. */
export function readNotes(db: Db, operationId: string): Promise<NoteRow[]> {
  return db
    .selectFrom('runtime.operation_note')
    .selectAll()
    .where('operation_id', '=', operationId)
    .orderBy('number')
    .execute()
}
