import { sql } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { ClaimState, InstallationState, OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { ScopeFilter } from '../in-scope.ts'
import { isVisible, visibleScopes } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'
import { countMade } from './count-made.ts'
import type { Tx } from '../../model/db.ts'

export interface SummaryRow {
  installations: { state: InstallationState; count: number }[]
  claims: { operationType: OperationType; state: ClaimState; count: number }[]
  operations: { state: OperationState; count: number }[]
}

/** Counts of what the actor may see; in a transaction that reads all of one moment. */
export async function readSummaryRow(tx: Tx, actor: Actor, filter: ScopeFilter): Promise<SummaryRow> {
  const seen = await visibleScopes(tx, actor, 'read', filter)
  return {
    installations: await countInstallations(tx, seen),
    claims: await countClaimsSeen(tx, seen),
    operations: await countLastDay(tx, seen),
  }
}

async function countInstallations(tx: Tx, seen: VisibleScopes): Promise<SummaryRow['installations']> {
  const { rows } = await (
    seen.kind === 'scopes'
      ? sql<SummaryRow['installations'][number]>`
          select state, count(*) as count from runtime.installation as installation
          where ${isVisible(seen, 'installation')} group by state`
      : sql<SummaryRow['installations'][number]>`
          select state, sum(count)::bigint as count from runtime.installation_count as counted
          where ${isVisible(seen, 'counted')} group by state`
  ).execute(tx)
  return rows
}

async function countClaimsSeen(tx: Tx, seen: VisibleScopes): Promise<SummaryRow['claims']> {
  const { rows } = await sql<SummaryRow['claims'][number]>`
    select operation_type as "operationType", state, count(*) as count
    from runtime.operation as operation
    where holds_claim and ${isVisible(seen, 'operation')}
    group by operation_type, state order by operation_type, state`.execute(tx)
  return rows
}

async function countLastDay(tx: Tx, seen: VisibleScopes): Promise<SummaryRow['operations']> {
  const { rows: times } = await sql<{ since: string }>`
    select clock_timestamp() - interval '24 hours' as since`.execute(tx)
  const since = times[0]?.since ?? ''
  if (seen.kind !== 'scopes') return countMade(tx, seen, { since, until: null, bucket: 'all' })
  const { rows } = await sql<SummaryRow['operations'][number]>`
    select state, count(*) as count from runtime.operation as operation
    where created_at > ${since}::timestamptz and ${isVisible(seen, 'operation')}
    group by state`.execute(tx)
  return rows
}
