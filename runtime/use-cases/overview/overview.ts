import { INSTALLATION_STATES, OPERATION_STATES } from '#contract/runtime-api/vocabulary.ts'
import type { Summary } from '#contract/runtime-api/summary.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { SITUATIONS } from '../../model/situations.ts'
import { listScopeRows } from '../../store/overview/list-scopes.ts'
import { readSummaryRow } from '../../store/overview/summary.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging.ts'

/** Counts of what the actor may see; a state without members counts 0. */
export async function readSummary(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /summary'>,
): Promise<Answer<'GET /summary'>> {
  const row = await inTransaction(deps.db, (tx) => readSummaryRow(tx, actor, query), {
    isolation: 'repeatable read',
  })
  return {
    installations: countsOf(INSTALLATION_STATES, row.installations),
    outdated: row.outdated,
    claims: row.claims,
    nextSteps: nextStepsOf(row.situations),
    operations: countsOf(OPERATION_STATES, row.operations),
    clockAheadMs: row.clockAheadMs,
  }
}

/** Scopes that the actor may see, with the counts of each. */
export async function listScopes(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /scopes'>,
): Promise<Answer<'GET /scopes'>> {
  const after = cursorValues(query.cursor, ['string', 'string', 'number'])
  if (after !== null) cursorInteger(after[2])
  const rows = await listScopeRows(deps.db, actor, { filter: query, after, limit: query.limit + 1 })
  return pageOf(rows, query.limit, {
    item: (row) => ({
      environmentKey: row.environment_key,
      applicationRuntimeId: row.application_runtime_id,
      workspaceId: row.workspace_id,
      installations: row.installations,
      claimed: row.claimed,
      failed: row.failed,
      snapshotVersion: row.snapshot_version,
      savedAt: row.saved_at,
      savedBy: { id: row.saved_by_id, name: row.saved_by_name },
    }),
    valuesOf: (row) => [row.environment_key, row.application_runtime_id, row.workspace_id],
  })
}

/** Several situations may need the same action of the same actor. */
function nextStepsOf(counted: readonly { situation: number; count: number }[]): Summary['nextSteps'] {
  const steps = new Map<string, Summary['nextSteps'][number]>()
  for (const { situation, count } of counted) {
    const { actor, action } = SITUATIONS[situation]!
    const step = steps.get(`${actor} ${action}`)
    steps.set(`${actor} ${action}`, { actor, action, count: count + (step?.count ?? 0) })
  }
  return [...steps.values()]
}

function countsOf<State extends string>(
  states: readonly State[],
  counted: readonly { state: State; count: number }[],
): Record<State, number> {
  const counts = states.map((state) => [state, counted.find((row) => row.state === state)?.count ?? 0])
  // every state of the list is a key
  return Object.fromEntries(counts) as Record<State, number>
}
