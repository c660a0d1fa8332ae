import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { operationEndpoints } from '#contract/runtime-api/operations.ts'
import { UNASSIGNED } from '#contract/runtime-api/vocabulary.ts'
import type { OperationSort } from '#contract/runtime-api/vocabulary.ts'
import { instantAt } from '../instants.ts'
import { isInSituation } from './next-step-sql.ts'

/** The search text is words by now; what it says about time is in `since` and `until`. */
export type OperationQuery = Omit<
  z.output<(typeof operationEndpoints)['GET /operations']['query']>,
  'timeZone'
>

/** The filter that the list and the counts share. */
export type OperationFilter = Partial<Omit<OperationQuery, 'limit' | 'cursor' | 'sort'>>

/** The code with which lists show a failure: that of the last attempt, where that of the run only says that a result is unknown. */
export const shownErrorCode = sql<
  string | null
>`coalesce(operation.failure ->> 'attemptCode', operation.failure ->> 'errorCode')`

/** The condition on `runtime.operation as operation` for the filter, without scope and search text. */
export function operationFilter(filter: OperationFilter): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  const equal = (column: string, value: string | undefined): void => {
    if (value !== undefined) conditions.push(sql`${sql.ref(`operation.${column}`)} = ${value}`)
  }
  const among = (column: string, values: readonly string[] | undefined): void => {
    if (values !== undefined)
      conditions.push(sql`${sql.ref(`operation.${column}`)} = any(${[...values]}::text[])`)
  }
  equal('bundle_install_id', filter.bundleInstallId)
  equal('bundle_environment_key', filter.bundleEnvironmentKey)
  equal('bundle_id', filter.bundleId)
  among('operation_type', filter.operationType)
  among('state', filter.state)
  among('phase', filter.phase)
  equal('requested_by_id', filter.requestedBy)
  if (filter.assignee === UNASSIGNED) conditions.push(sql`operation.assignee_id is null`)
  else equal('assignee_id', filter.assignee)
  // redundant, but lets the planner use the small partial index
  if (isUnsettled(filter)) conditions.push(sql`operation.state <> 'SUCCEEDED'`)
  const { nextActor, nextAction } = filter
  if (nextActor !== undefined || nextAction !== undefined)
    conditions.push(
      isInSituation(
        ({ actor, action }) => nextActor?.includes(actor) !== false && nextAction?.includes(action) !== false,
      ),
    )
  if (filter.errorCode !== undefined)
    conditions.push(sql`${shownErrorCode} = ${filter.errorCode} and operation.failure is not null`)
  if (filter.failedAt !== undefined)
    conditions.push(
      sql`operation.failure is not null
        and coalesce(operation.failure -> 'errorPath' ->> 1, 'bundle-runtime') = ${filter.failedAt}`,
    )
  if (filter.inDoubt !== undefined)
    conditions.push(sql`operation.in_doubt_since is not null and operation.holds_claim`)
  if (filter.causeId !== undefined)
    conditions.push(sql`operation.cause_id = ${filter.causeId} and operation.state = 'FAILED'`)
  if (filter.pluginId !== undefined)
    conditions.push(sql`exists (
      select from runtime.plugin_call
      where plugin_call.operation_id = operation.operation_id and plugin_call.plugin_id = ${filter.pluginId})`)
  if (filter.since !== undefined) conditions.push(sql`operation.created_at >= ${filter.since}::timestamptz`)
  if (filter.until !== undefined) conditions.push(sql`operation.created_at < ${filter.until}::timestamptz`)
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/**
 * Whether the filter excludes all succeeded operations. Only a succeeded operation has the phase DONE, and nobody acts
 * next on it.
 */
export function isUnsettled({
  state,
  phase,
  nextActor,
  nextAction,
  inDoubt,
}: Pick<OperationFilter, 'state' | 'phase' | 'nextActor' | 'nextAction' | 'inDoubt'>): boolean {
  return (
    inDoubt !== undefined ||
    (state !== undefined && !state.includes('SUCCEEDED')) ||
    (phase !== undefined && !phase.includes('DONE')) ||
    (nextActor !== undefined && !nextActor.includes('NOBODY')) ||
    (nextAction !== undefined && !nextAction.includes('NONE'))
  )
}

/** The row that a page starts after: the time that the list is sorted by, and its id. */
export interface After {
  microseconds: number
  operationId: string
  /** By the time of the end: whether the row has ended. Those that have not come last, by creation. */
  hasEnded: boolean
}

export interface Sort {
  by: 'created_at' | 'finished_at'
  direction: 'asc' | 'desc'
}

/** The order of each sort. */
export const SORTS: Record<OperationSort, Sort> = {
  '-createdAt': { by: 'created_at', direction: 'desc' },
  createdAt: { by: 'created_at', direction: 'asc' },
  '-finishedAt': { by: 'finished_at', direction: 'desc' },
  finishedAt: { by: 'finished_at', direction: 'asc' },
}

/** The order of a page, how many rows it reads, and the row that it starts after. */
export interface PageOrder extends Sort {
  rows: number
  after: After | undefined
  /** Whether any row can have ended. */
  mayHaveEnded: boolean
}

/** The condition that a row, by its time and id, follows the one that the page starts after. */
export function isAfter(
  after: After | undefined,
  { column, id, direction }: { column: string; id: string; direction: Sort['direction'] },
): RawBuilder<unknown> {
  if (after === undefined) return sql`true`
  return sql`(${sql.ref(column)}, ${sql.ref(id)}) ${direction === 'desc' ? sql`<` : sql`>`}
    (${instantAt(after.microseconds)}, ${after.operationId}::uuid)`
}
