import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db, Tx } from '../../model/db.ts'
import { isJudged } from './change-requests.ts'
import type { ChangeRequestRow } from './change-requests.ts'

/**
 * What a request needs of the runner: its end after its schedule; its turn; its result; a reminder; another judgement, because a scope
 * that it changes, or the policy of an environment, has changed.
 */
export const DUE = ['end', 'turn', 'result', 'reminder', 'judgement'] as const
export type Due = (typeof DUE)[number]

/** After how many days without a step a request that waits for approvals is reported again, and after how many no more. */
const [REMIND_DAYS, REMIND_DAYS_MAX] = [1, 30]
const needsReminder = sql<boolean>`(request.state = 'OPEN' and request.approvals_needed > 0
  and request.updated_at <= clock_timestamp() - make_interval(days => ${REMIND_DAYS})
  and request.created_at > clock_timestamp() - make_interval(days => ${REMIND_DAYS_MAX}))`

const versionNow = (place: RawBuilder<unknown>) =>
  sql`runtime.scope_version(${place}.environment_key, ${place}.application_runtime_id, ${place}.workspace_id)`

// some conditions follow from the state; they are those of the partial indexes
const WHEN: Record<Exclude<Due, 'judgement'>, RawBuilder<boolean>> = {
  end: sql`(${isJudged} and request.ended_at is null and request.not_after <= clock_timestamp())`,
  turn: sql`(request.state = 'SCHEDULED' and request.ended_at is null and request.not_after is not null
    and request.not_before <= clock_timestamp())`,
  result: sql`(request.state = 'APPLYING'
    and not exists (select from runtime.operation where operation_id = any(request.operation_ids)
      and state not in ('SUCCEEDED', 'TAKEN_OVER'))
    and not exists (select from runtime.batch where batch.batch_id = request.batch_id and finished_at is null))`,
  reminder: needsReminder,
}

/** Before every id. */
const NIL = sql`'00000000-0000-0000-0000-000000000000'`

/** For each kind but scheduled ones, the request that had its turn last. */
export type Turns = Partial<Record<Exclude<Due, 'turn'>, string>>

/**
 * At most `limit` requests for each of these kinds of what is due, so that what cannot be advanced now keeps nobody waiting: by their ids,
 * those after the one that had its turn last; scheduled ones that are not `held`, those of each person by their times, and the first of
 * everybody before the second of anybody.
 */
export async function findDue(
  db: Db,
  kinds: readonly Due[],
  { turns, held, limit }: { turns: Turns; held: readonly string[]; limit: number },
): Promise<{ change_request_id: string; created_by_id: string; due: Due }[]> {
  const part = (due: Due, condition: RawBuilder<boolean>) => {
    const ofPerson = sql`row_number() over (partition by created_by_id order by not_before, change_request_id)`
    const [isNext, order] =
      due === 'turn'
        ? [sql`change_request_id <> all(${[...held]}::uuid[])`, sql`${ofPerson}, not_before`]
        : [sql`change_request_id > coalesce(${turns[due] ?? null}::uuid, ${NIL})`, sql`change_request_id`]
    return sql`(select change_request_id, created_by_id, ${sql.lit(due)} as due from runtime.change_request as request
      where ${condition} and ${isNext} order by ${order} limit ${limit})`
  }
  // what has its turn is judged then
  const isMoved = sql<boolean>`(${isJudged} and not coalesce(${WHEN.turn}, false) and (judge_again or change_request_id in (select change_request_id from moved)))`
  // each scope is looked at once, however many requests change it
  const { rows } = await sql<{ change_request_id: string; created_by_id: string; due: Due }>`
    with place as materialized (
      select place.* from runtime.change_request_scope as place
      join runtime.change_request as request on request.change_request_id = place.change_request_id and ${isJudged}),
    scope_now as materialized (
      select scope.*, ${versionNow(sql`scope`)} as version
      from (select distinct environment_key, application_runtime_id, workspace_id from place) as scope),
    moved as (
      select change_request_id from place
      join scope_now using (environment_key, application_runtime_id, workspace_id)
      where place.judged_version is distinct from scope_now.version)
    ${sql.join(
      kinds.map((due) => part(due, due === 'judgement' ? isMoved : WHEN[due])),
      sql` union all `,
    )}`.execute(db)
  return rows
}

/** What is due of a locked request, by the clock of the database. */
export async function readDue(
  tx: Tx,
  { change_request_id }: Pick<ChangeRequestRow, 'change_request_id'>,
): Promise<Record<Due, boolean>> {
  const { rows } = await sql<Record<Due, boolean>>`
    select ${sql.join(
      Object.entries(WHEN).map(([due, condition]) => sql`coalesce(${condition}, false) as ${sql.ref(due)}`),
    )}, ${isJudged} and (judge_again or exists (select from runtime.change_request_scope as place
        where place.change_request_id = request.change_request_id
          and place.judged_version is distinct from ${versionNow(sql`place`)})) as judgement
    from runtime.change_request as request where change_request_id = ${change_request_id}::uuid`.execute(tx)
  return rows[0] ?? { end: false, turn: false, result: false, reminder: false, judgement: false }
}
