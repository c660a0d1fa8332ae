import { sql } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { ClaimState, InstallationState, OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../world.ts'
import { inScope } from '../in-scope.ts'
import type { ScopeFilter } from '../in-scope.ts'
import { visibleTo } from '../visible.ts'

export interface SummaryRow {
  installations: { state: InstallationState; count: number }[]
  claims: { operationType: OperationType; state: ClaimState; count: number }[]
  operations: { state: OperationState; count: number }[]
}

/** Counts of what the actor may see, all of one moment. */
export async function readSummaryRow(db: Db, actor: Actor, filter: ScopeFilter): Promise<SummaryRow> {
  const seen = (table: string) => sql`${visibleTo(actor, 'read', table)} and ${inScope(filter, table)}`
  const result = await sql<SummaryRow>`
    select
      (select coalesce(json_agg(json_build_object('state', state, 'count', count)), '[]'::json) from (
        select state, count(*) from runtime.installation as installation
        where ${seen('installation')} group by state) as counted) as installations,
      (select coalesce(json_agg(json_build_object('operationType', operation_type, 'state', state, 'count', count)
          order by operation_type, state), '[]'::json) from (
        select operation_type, state, count(*) from runtime.operation as operation
        where holds_claim and ${seen('operation')} group by operation_type, state) as counted) as claims,
      (select coalesce(json_agg(json_build_object('state', state, 'count', count)), '[]'::json) from (
        select state, count(*) from runtime.operation as operation
        where created_at > clock_timestamp() - interval '24 hours' and ${seen('operation')}
        group by state) as counted) as operations`.execute(db)
  const [row] = result.rows
  if (row === undefined) throw new Error('a select without a table has one row')
  return row
}
