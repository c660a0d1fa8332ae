import { sql } from 'kysely'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { ChangeEvent, ChangeState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { ShownEffect } from '../../model/change-request-tables.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { scopeOf } from '../configuration/scopes.ts'

export type ChangeRequestRow = Selectable<RuntimeTables['runtime.change_request']>
export type ApprovalRow = Selectable<RuntimeTables['runtime.change_approval']>
export type EntryRow = Selectable<RuntimeTables['runtime.change_entry']>
export type PolicyRow = Selectable<RuntimeTables['runtime.change_policy']>

const [COMMENTS_MAX, STEPS_MAX] = [1_000, 2_000]

/**
 * How many entries the history of one request has at most when this is added, because each look at it reads all of them. Comments leave
 * room for steps. What else happens is always added, because people are notified of entries and others wait for it: in a full history it
 * replaces the entry of the same event by the same person.
 */
export const entriesMax = (event: ChangeEvent): number =>
  event === 'COMMENTED' ? COMMENTS_MAX : event === 'EDITED' ? STEPS_MAX : Infinity

export async function insertChangeRequest(
  tx: Tx,
  row: Insertable<RuntimeTables['runtime.change_request']>,
  scopes: readonly Scope[],
): Promise<void> {
  await tx.insertInto('runtime.change_request').values(row).execute()
  await putScopes(tx, row.change_request_id, scopes)
}

/** How many requests in these states a person has made. Others that the person makes wait until the transaction ends. */
export async function lockMadeBy(tx: Tx, personId: string, states: readonly ChangeState[]): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('change requests ' || ${personId}, 0))`.execute(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from runtime.change_request
    where created_by_id = ${personId} and state = any(${[...states]}::text[])`.execute(tx)
  return rows[0]?.count ?? 0
}

/** The versions of scopes, each by its text. */
export type ScopeVersions = ReadonlyMap<string, string | null>

/**
 * Replaces the scopes that a request changes.
 *
 * @param judged The versions with which it was judged, read before; without, the runner judges it again.
 */
export async function putScopes(
  tx: Tx,
  changeRequestId: string,
  scopes: readonly Scope[],
  judged: ScopeVersions = new Map(),
): Promise<void> {
  await tx
    .deleteFrom('runtime.change_request_scope')
    .where('change_request_id', '=', changeRequestId)
    .execute()
  if (scopes.length === 0) return
  await tx
    .insertInto('runtime.change_request_scope')
    .values(
      scopes.map((scope) => ({
        change_request_id: changeRequestId,
        environment_key: scope.environmentKey,
        application_runtime_id: scope.applicationRuntimeId,
        workspace_id: scope.workspaceId,
        judged_version: judged.get(scopeText(scope)) ?? null,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export function findChangeRequest(db: Db, changeRequestId: string): Promise<ChangeRequestRow | undefined> {
  return db
    .selectFrom('runtime.change_request')
    .selectAll()
    .where('change_request_id', '=', changeRequestId)
    .executeTakeFirst()
}

/** Without the rest of the request, which may be large: each item of its batch asks. */
export async function readApprovalBasis(
  db: Db,
  changeRequestId: string,
): Promise<Pick<ChangeRequestRow, 'change_request_id' | 'approvals_needed' | 'author_ids' | 'effect'>> {
  return db
    .selectFrom('runtime.change_request')
    .select(['change_request_id', 'approvals_needed', 'author_ids', 'effect'])
    .where('change_request_id', '=', changeRequestId)
    .executeTakeFirstOrThrow()
}

const lockingChangeRequest = (tx: Tx, changeRequestId: string) =>
  tx
    .selectFrom('runtime.change_request')
    .selectAll()
    .where('change_request_id', '=', changeRequestId)
    .forNoKeyUpdate()

/** Locks a request until the transaction ends: whatever happens to it happens one after the other. */
export function lockChangeRequest(tx: Tx, changeRequestId: string): Promise<ChangeRequestRow | undefined> {
  return lockingChangeRequest(tx, changeRequestId).executeTakeFirst()
}

/** Like `lockChangeRequest`, but undefined if somebody else has locked it. */
export function lockFreeChangeRequest(
  tx: Tx,
  changeRequestId: string,
): Promise<ChangeRequestRow | undefined> {
  return lockingChangeRequest(tx, changeRequestId).skipLocked().executeTakeFirst()
}

export async function readScopes(db: Db, changeRequestId: string): Promise<Scope[]> {
  const rows = await db
    .selectFrom('runtime.change_request_scope')
    .select(['environment_key', 'application_runtime_id', 'workspace_id'])
    .where('change_request_id', '=', changeRequestId)
    .orderBy('environment_key')
    .orderBy('application_runtime_id')
    .orderBy('workspace_id')
    .execute()
  return rows.map(scopeOf)
}

/** The versions of the scopes of a request. Read them before it is judged: what changes afterwards has it judged again. */
export async function readScopeVersions(tx: Tx, changeRequestId: string): Promise<ScopeVersions> {
  const rows = await tx
    .selectFrom('runtime.change_request_scope')
    .select(['environment_key', 'application_runtime_id', 'workspace_id'])
    .select(
      sql<string | null>`runtime.scope_version(environment_key, application_runtime_id, workspace_id)`.as(
        'version',
      ),
    )
    .where('change_request_id', '=', changeRequestId)
    .execute()
  return new Map(rows.map(({ version, ...row }) => [scopeText(scopeOf(row)), version]))
}

/** Changes a request and returns it. An end is given by `hasEnded`; what is no step for a person keeps its time. */
export async function updateChangeRequest(
  tx: Tx,
  changeRequestId: string,
  {
    hasEnded = false,
    isStep = true,
    ...values
  }: Updateable<RuntimeTables['runtime.change_request']> & { hasEnded?: boolean; isStep?: boolean },
): Promise<ChangeRequestRow> {
  const now = sql<string>`clock_timestamp()`
  return tx
    .updateTable('runtime.change_request')
    .set({ ...values, ...(isStep && { updated_at: now }), ...(hasEnded && { ended_at: now }) })
    .where('change_request_id', '=', changeRequestId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Adds an entry to the history of a locked request; null for a comment or an edit if it is full. */
export async function insertEntry(
  tx: Tx,
  entry: {
    changeRequestId: string
    actor: Pick<Actor, 'id' | 'name'>
    event: ChangeEvent
    revision: number
    text?: string | null
    target?: { locator: string; property?: string | undefined } | undefined
    policy?: { environmentKey: string; approvals: number }
  },
): Promise<EntryRow | null> {
  const { changeRequestId, actor, event, revision, text, target, policy } = entry
  const { rows } = await sql<EntryRow>`
    with replaced as (
      delete from runtime.change_entry where change_request_id = ${changeRequestId}::uuid and number > ${STEPS_MAX}
        and event = ${event} and by_id = ${actor.id})
    insert into runtime.change_entry (change_request_id, number, by_id, by_name, event, revision, text, target, policy)
    select ${changeRequestId}::uuid, coalesce(max(number), 0) + 1, ${actor.id}, ${actor.name}, ${event}, ${revision}::int, ${text ?? null},
      ${target === undefined ? null : JSON.stringify(target)}::json, ${policy === undefined ? null : JSON.stringify(policy)}::json
    from runtime.change_entry where change_request_id = ${changeRequestId}::uuid
    having coalesce(max(number), 0) < ${entriesMax(event)}::float8
    returning *`.execute(tx)
  return rows[0] ?? null
}

export function readEntries(db: Db, changeRequestId: string): Promise<EntryRow[]> {
  return db
    .selectFrom('runtime.change_entry')
    .selectAll()
    .where('change_request_id', '=', changeRequestId)
    .orderBy('number')
    .execute()
}

export async function putApproval(
  tx: Tx,
  approval: {
    changeRequestId: string
    actor: Pick<Actor, 'id' | 'name'>
    revision: number
    effect: string
    shown: ShownEffect
    comment: string | null
  },
): Promise<void> {
  const { changeRequestId, actor, revision, effect, shown, comment } = approval
  const values = {
    approver_name: actor.name,
    revision,
    effect,
    shown: JSON.stringify(shown),
    comment,
  }
  await tx
    .insertInto('runtime.change_approval')
    .values({ change_request_id: changeRequestId, approver_id: actor.id, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['change_request_id', 'approver_id'])
        .doUpdateSet({ ...values, at: sql<string>`clock_timestamp()` }),
    )
    .execute()
}

export function readApprovals(db: Db, changeRequestId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('runtime.change_approval')
    .selectAll()
    .where('change_request_id', '=', changeRequestId)
    .orderBy('at')
    .execute()
}

/** Properties of the scopes of a request that were marked as sensitive since it was made. */
export async function readMarks(
  db: Db,
  row: Pick<ChangeRequestRow, 'change_request_id' | 'created_at'>,
): Promise<{ locator: string; property: string }[]> {
  const { rows } = await sql<{ locator: string; property: string }>`
    -- what is shown was read before the row was made: 10 minutes cover the time between
    select distinct mark.locator, mark.property
    from runtime.change_request_scope as place
    join runtime.scope as scope using (environment_key, application_runtime_id, workspace_id)
    join runtime.sensitive_mark as mark on mark.scope_id = scope.scope_id
    where place.change_request_id = ${row.change_request_id}::uuid
      and mark.marked_at >= ${row.created_at}::timestamptz - interval '10 minutes'`.execute(db)
  return rows
}

/** Whether all, some or none of what a request started has succeeded: the targets of its batch, and its operations. */
export async function readSuccess(
  tx: Tx,
  { batch_id, operation_ids }: Pick<ChangeRequestRow, 'batch_id' | 'operation_ids'>,
): Promise<'all' | 'some' | 'none'> {
  const { rows } = await sql<{ success: 'all' | 'some' | 'none' }>`
    select case when bool_and(succeeded) is not false then 'all' when bool_or(succeeded) then 'some' else 'none' end as success
    from (
      select state = 'SUCCEEDED' as succeeded from runtime.batch_item where batch_id = ${batch_id}::uuid
      union all
      select state = 'SUCCEEDED' from runtime.operation where operation_id = any(${[...operation_ids]}::uuid[])) as started`.execute(
    tx,
  )
  return rows[0]?.success ?? 'all'
}

/** Marks what a request has started. */
export async function nameOrigin(
  tx: Tx,
  {
    changeRequestId,
    isOverridden,
    operationIds,
    batchId,
  }: {
    changeRequestId: string
    isOverridden: boolean
    operationIds: readonly string[]
    batchId: string | null
  },
): Promise<void> {
  await sql`update runtime.operation set change_request_id = ${changeRequestId}::uuid, overridden = overridden or ${isOverridden}
    where operation_id = any(${[...operationIds]}::uuid[])`.execute(tx)
  if (batchId !== null)
    await sql`update runtime.batch set change_request_id = ${changeRequestId}::uuid where batch_id = ${batchId}::uuid`.execute(
      tx,
    )
}

export function selectChangePolicies(db: Db, environments?: readonly string[]): Promise<PolicyRow[]> {
  return db
    .selectFrom('runtime.change_policy')
    .selectAll()
    .$if(environments !== undefined, (query) =>
      query.where('environment_key', 'in', environments?.length ? [...environments] : ['']),
    )
    .orderBy('environment_key')
    .execute()
}

/** Locks the policy of an environment, also one that does not exist yet. */
export async function lockPolicy(tx: Tx, environmentKey: string): Promise<PolicyRow | undefined> {
  await sql`lock table runtime.change_policy in share row exclusive mode`.execute(tx)
  const [row] = await selectChangePolicies(tx, [environmentKey])
  return row
}

export async function putChangePolicy(
  tx: Tx,
  policy: Pick<PolicyRow, 'environment_key' | 'required_for' | 'approvals'>,
): Promise<PolicyRow> {
  const values = { required_for: policy.required_for, approvals: policy.approvals }
  return tx
    .insertInto('runtime.change_policy')
    .values(policy)
    .onConflict((conflict) =>
      conflict
        .column('environment_key')
        .doUpdateSet({ ...values, updated_at: sql<string>`clock_timestamp()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Waits for people or for its time: what a `request` would do is judged whenever that may have changed. */
export const isJudged = sql<boolean>`request.state in ('OPEN', 'CONFLICTED', 'APPROVED', 'SCHEDULED')`

/** Has the runner judge the requests that change an environment again: another policy may ask for more approvals. */
export async function judgeAgain(tx: Tx, environmentKey: string): Promise<void> {
  await sql`
    update runtime.change_request as request set judge_again = true
    where ${isJudged} and exists (select from runtime.change_request_scope as place
      where place.change_request_id = request.change_request_id and place.environment_key = ${environmentKey})`.execute(
    tx,
  )
}
