import { sql } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { ClaimState, InstallationState, OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { ScopeFilter } from '../in-scope.ts'
import { isVisible, visibleScopes } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'
import { readInstalledVersions } from '../installations/installed-versions.ts'
import { situationNumber } from '../operations/next-step-sql.ts'
import { countMade } from './count-made.ts'
import { readLargestDifference } from '../recovery/keep-clock.ts'
import type { Tx } from '../../model/db.ts'

export interface SummaryRow {
  installations: { state: InstallationState; count: number }[]
  outdated: number
  claims: { operationType: OperationType; state: ClaimState; count: number }[]
  /** By index in SITUATIONS. */
  situations: { situation: number; count: number }[]
  operations: { state: OperationState; count: number }[]
  clockAheadMs: number | null
}

/** Counts what the actor may see. Run it in a transaction that reads one snapshot of the database. */
export async function readSummaryRow(tx: Tx, actor: Actor, filter: ScopeFilter): Promise<SummaryRow> {
  const visible = await visibleScopes(tx, actor, 'read', filter)
  return {
    installations: await countInstallations(tx, visible),
    outdated: await countOutdated(tx, visible),
    claims: await countClaimsSeen(tx, visible),
    situations: await countSituations(tx, visible),
    operations: await countLastDay(tx, visible),
    clockAheadMs: await readLargestDifference(tx),
  }
}

async function countInstallations(tx: Tx, visible: VisibleScopes): Promise<SummaryRow['installations']> {
  const { rows } = await (
    visible.kind === 'scopes'
      ? sql<SummaryRow['installations'][number]>`
          select state, count(*) as count from runtime.installation as installation
          where ${isVisible(visible, 'installation')} group by state`
      : sql<SummaryRow['installations'][number]>`
          select state, sum(count)::bigint as count from runtime.installation_count as counted
          where ${isVisible(visible, 'counted')} group by state`
  ).execute(tx)
  return rows
}

async function countOutdated(tx: Tx, visible: VisibleScopes): Promise<number> {
  const versions = await readInstalledVersions(tx, visible, {})
  return versions.reduce((sum, row) => (row.is_outdated ? sum + row.installations : sum), 0)
}

async function countClaimsSeen(tx: Tx, visible: VisibleScopes): Promise<SummaryRow['claims']> {
  const { rows } = await sql<SummaryRow['claims'][number]>`
    select operation_type as "operationType", state, count(*) as count
    from runtime.operation as operation
    where holds_claim and ${isVisible(visible, 'operation')}
    group by operation_type, state order by operation_type, state`.execute(tx)
  return rows
}

/** The situation of a failed operation is that of its failure group, so one look-up for each group is enough. */
async function countSituations(tx: Tx, visible: VisibleScopes): Promise<SummaryRow['situations']> {
  const { rows } = await sql<SummaryRow['situations'][number]>`
    with ungrouped as materialized (
      -- none, unless rows were restored without their triggers; the planner expects many, and would read all that failed
      select operation_id from runtime.operation as operation
      where state = 'FAILED' and failure_group is null and ${isVisible(visible, 'operation')}
    )
    select situation, sum(count)::bigint as count from (
      select (
        select ${situationNumber()} from runtime.operation as operation
        where state = 'FAILED' and operation.failure_group = grouped.failure_group limit 1) as situation, count
      from (
        select failure_group, count(*) as count from runtime.operation as operation
        where state = 'FAILED' and failure_group is not null and ${isVisible(visible, 'operation')}
        group by failure_group
      ) as grouped
      union all
      select ${situationNumber()}, count(*) from runtime.operation as operation
      where state in ('PENDING', 'RUNNING', 'WAITING') and ${isVisible(visible, 'operation')}
      group by 1
      union all
      select ${situationNumber()}, count(*) from ungrouped join runtime.operation as operation using (operation_id)
      group by 1
    ) as counted group by situation`.execute(tx)
  return rows
}

async function countLastDay(tx: Tx, visible: VisibleScopes): Promise<SummaryRow['operations']> {
  const { rows: times } = await sql<{ since: string }>`
    select clock_timestamp() - interval '24 hours' as since`.execute(tx)
  const since = times[0]?.since ?? ''
  if (visible.kind !== 'scopes') return countMade(tx, visible, { since, until: null, bucket: 'all' })
  const { rows } = await sql<SummaryRow['operations'][number]>`
    select state, count(*) as count from runtime.operation as operation
    where created_at > ${since}::timestamptz and ${isVisible(visible, 'operation')}
    group by state`.execute(tx)
  return rows
}
