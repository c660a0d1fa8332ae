import { sql } from 'kysely'
import { RUNTIME_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import { inTransaction } from '#database/transaction.ts'
import type { RecoveryCause } from '#contract/runtime-api/vocabulary.ts'
import type { Db, Tx } from '../../model/db.ts'

/** What a recovery did. */
export interface Recovery {
  installations: number
  scopes: number
  /** Operations that were in progress in the restored state. */
  operationsInDoubt: number
}

/** Why the database is recovered. */
export interface RecoveredFrom {
  because: RecoveryCause
  /** The backup that was restored, with the version and the commit of the program that made it. */
  backup?: { at: string; version: string; build: string | null }
}

/** Larger than the number of operations of an installation, or saves of a scope, that can be lost at once. */
export const RAISE_BY = 100_000

/** Where the database is. */
export interface SeenServer {
  /** Whether it is the server and timeline of the last recovery. */
  isSame: boolean
  /** `system identifier/timeline`, both as PostgreSQL writes them; null on a server that does not reveal them. */
  identity: string | null
  /** By the clock of the server. */
  at: string
}

/** Selects a {@link SeenServer}. */
export const FIND_SERVER = `select runtime.is_same_server() as "isSame", runtime.current_identity() as identity,
  clock_timestamp() as at`

/** Where the database is now. */
export async function findServer(db: Db): Promise<SeenServer> {
  const { rows } = await sql<SeenServer>`${sql.raw(FIND_SERVER)}`.execute(db)
  const [server] = rows
  if (server === undefined) throw new Error('the statement returned no row')
  return server
}

export interface RecoverOptions {
  /** How much all numbers are raised. */
  raiseBy?: number
  /** Recovers even if the server is the same, because somebody restored its files. */
  isForced?: boolean
  /** With `isForced`: not if another replica has recovered since then. */
  since?: string
  from?: RecoveredFrom
  /** Records the recovery in its transaction. */
  record?: (tx: Tx, recovery: Recovery) => Promise<void>
}

/**
 * After the database went back in time: raises the execution sequence of every installation and the snapshot version of
 * every scope, so that no number is used twice, pauses the batches, lets webhooks start without their failures, marks
 * the operations in progress as in doubt, and deletes the events, because no reader's position in them is valid. One
 * transaction; until it is committed no operation can be created or leased if the server changed.
 *
 * @param db without a statement timeout of the driver, which cannot be lifted per transaction.
 * @returns null if there is nothing to do.
 */
export async function recover(
  db: Db,
  {
    raiseBy = RAISE_BY,
    isForced = false,
    since,
    from = { because: 'SERVER_CHANGED' },
    record,
  }: RecoverOptions = {},
): Promise<Recovery | null> {
  return inTransaction(db, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    // several replicas may notice it, but only one recovers
    const { rows } = await sql<{ recovered_at: string | null }>`
      select recovered_at from runtime.server_identity for update`.execute(tx)
    if (!isForced && (await findServer(tx)).isSame) return null
    const last = rows[0]?.recovered_at ?? null
    if (since !== undefined && last !== null && last > since) return null
    await sql`update runtime.server_identity set identity = runtime.current_identity()`.execute(tx)
    await pauseBatches(tx)
    await unscheduleChangeRequests(tx)
    await forgetFailures(tx)
    await lockAllScopes(tx)
    const installations = await raiseSequences(tx, raiseBy)
    const scopes = await raiseSnapshots(tx, raiseBy)
    const operationsInDoubt = await markInDoubt(tx)
    await sql`delete from runtime.event`.execute(tx)
    await sql`update runtime.server_identity set recovered_at = clock_timestamp(), raised_by = ${raiseBy},
      operations_in_doubt = ${operationsInDoubt}, because = ${from.because},
      backup_at = ${from.backup?.at ?? null}::timestamptz, backup_version = ${from.backup?.version ?? null},
      backup_build = ${from.backup?.build ?? null}`.execute(tx)
    const recovery = { installations, scopes, operationsInDoubt }
    await record?.(tx, recovery)
    return recovery
  })
}

/** The last recovery, as `runtime.server_identity` stores it. */
export interface RecoveryRow {
  recovered_at: string
  because: RecoveryCause | null
  backup_at: string | null
  backup_version: string | null
  backup_build: string | null
  raised_by: number
  operations_in_doubt: number
}

/** Undefined before the first recovery. */
export async function findRecovery(db: Db): Promise<RecoveryRow | undefined> {
  const { rows } = await sql<RecoveryRow>`
    select recovered_at, because, backup_at, backup_version, backup_build,
      coalesce(raised_by, 0)::int4 as raised_by, coalesce(operations_in_doubt, 0)::int4 as operations_in_doubt
    from runtime.server_identity where recovered_at is not null`.execute(db)
  return rows[0]
}

/**
 * Pending items may have run after the restored state, so a person decides whether a batch continues. Once, also for one
 * that waited for a look at its first results.
 */
async function pauseBatches(tx: Tx): Promise<void> {
  await sql`
    update runtime.batch set state = 'PAUSED', because = 'DATABASE_RECOVERED',
      is_released = is_released or because is not distinct from 'FIRST'
    where finished_at is null and state in ('RUNNING', 'PAUSED') and exists (
      select from runtime.batch_item
      where batch_item.batch_id = batch.batch_id and batch_item.state = 'PENDING')`.execute(tx)
}

/** A scheduled change request may have been applied after the restored state, so a person decides when it is. */
async function unscheduleChangeRequests(tx: Tx): Promise<void> {
  await sql`
    with stopped as (
      update runtime.change_request
      set not_before = null, not_after = null, time_zone = null, updated_at = clock_timestamp(),
        state = case when state = 'SCHEDULED' then 'OPEN' else state end
      where ended_at is null and not_after is not null and state <> 'APPLYING'
      returning change_request_id, revision
    )
    insert into runtime.change_entry (change_request_id, number, by_id, by_name, event, revision)
    select change_request_id, (select max(number) + 1 from runtime.change_entry as entry
        where entry.change_request_id = stopped.change_request_id),
      ${RUNTIME_ACTOR_ID}, 'Bundle Console', 'UNSCHEDULED', revision
    from stopped`.execute(tx)
}

/** How long a receiver had failed in the restored state says nothing about it now, and would disable its webhook. */
async function forgetFailures(tx: Tx): Promise<void> {
  await sql`update runtime.webhook set failing_since = null where enabled and failing_since is not null`.execute(
    tx,
  )
}

/** Before any installation and in the order of their ids, as in every other transaction, so that none deadlocks. */
async function lockAllScopes(tx: Tx): Promise<void> {
  await sql`select count(*) from (select from runtime.scope order by scope_id for no key update) as locked`.execute(
    tx,
  )
}

async function raiseSequences(tx: Tx, raiseBy: number): Promise<number> {
  const raised = await sql`
    update runtime.installation set last_execution_sequence = last_execution_sequence + ${raiseBy}`.execute(
    tx,
  )
  return Number(raised.numAffectedRows)
}

/** Each scope gets a snapshot without changes, whose reason explains the gap in the history. */
async function raiseSnapshots(tx: Tx, raiseBy: number): Promise<number> {
  const raised = await sql`
    with scope as (
      update runtime.scope
      set snapshot_version = snapshot_version + ${raiseBy}, saved_at = clock_timestamp(),
        saved_by_id = 'bundle-runtime', saved_by_name = 'Bundle Console'
      returning *
    )
    insert into runtime.snapshot (scope_id, snapshot_version, saved_at, saved_by_id, saved_by_name, reason, cause)
    select scope_id, snapshot_version, saved_at, saved_by_id, saved_by_name,
      'The database was restored to an earlier state. Changes after that state are lost.', 'SAVE'
    from scope`.execute(tx)
  return Number(raised.numAffectedRows)
}

async function markInDoubt(tx: Tx): Promise<number> {
  const marked = await sql`
    update runtime.operation set in_doubt_since = clock_timestamp()
    where state in ('PENDING', 'RUNNING', 'WAITING')`.execute(tx)
  return Number(marked.numAffectedRows)
}
