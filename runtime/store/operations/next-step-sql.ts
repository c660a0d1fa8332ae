import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { SITUATIONS } from '../../model/situations.ts'
import type { Situation } from '../../model/situations.ts'
import { hasObstacle } from './calls.ts'

// The table of next steps as SQL, so that lists and counts agree with what each row shows.

const STATE = sql`operation.state`
const REASON = sql`coalesce(operation.failure -> 'parameters' ->> 'reason', '')`

/** The condition that a row of `runtime.operation as operation` is in one of these situations. */
export function isInSituation(wanted: (situation: Situation) => boolean): RawBuilder<boolean> {
  return sql<boolean>`(${situationNumber()} = any(${SITUATIONS.flatMap((situation, index) => (wanted(situation) ? [index] : []))}::int[]))`
}

/** The index in SITUATIONS of the first row that matches. */
export function situationNumber(): RawBuilder<number> {
  const cases = SITUATIONS.map(
    (situation, index) => sql`when ${conditionOf(situation)} then ${sql.lit(index)}`,
  )
  return sql<number>`case ${sql.join(cases, sql` `)} end`
}

function conditionOf(situation: Situation): RawBuilder<unknown> {
  const {
    states,
    isInDoubt,
    obstacle,
    isDetach,
    reasons,
    statuses,
    asksToWait,
    ofPlugin,
    readsWrites,
    refusals,
  } = situation
  const conditions = [sql`${STATE} in (${literals(states)})`]
  if (isInDoubt === true) conditions.push(sql`operation.in_doubt_since is not null`)
  if (obstacle !== undefined) conditions.push(hasObstacle(obstacle))
  if (isDetach === true) conditions.push(sql`operation.operation_type = 'DETACH'`)
  if (refusals !== undefined)
    conditions.push(sql`operation.failure -> 'refusedHere' ->> 'rule' in (${literals(refusals)})`)
  if (readsWrites === true) conditions.push(sql`operation.failure -> 'readsWrites' is not null`)
  if (reasons !== undefined) conditions.push(sql`${REASON} in (${literals(reasons)})`)
  if (statuses !== undefined)
    conditions.push(
      sql`operation.failure -> 'parameters' ->> 'status' in (${literals(statuses.map(String))})`,
    )
  if (asksToWait === true) conditions.push(sql`operation.failure -> 'retryFrom' is not null`)
  if (ofPlugin !== undefined)
    conditions.push(
      sql`operation.failure is not null and ${REASON} in ('', 'callFailedSilently')
        and operation.failure ->> 'retryable' = ${sql.lit(String(ofPlugin.retryable))}`,
    )
  return sql.join(conditions, sql` and `)
}

/** Literals, and not parameters: the planner sees them, and the statement is the same each time. */
function literals(values: readonly string[]): RawBuilder<unknown> {
  return sql.join(values.map((value) => sql.lit(value)))
}
