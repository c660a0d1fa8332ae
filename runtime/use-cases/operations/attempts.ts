import { inTransaction } from '#database/transaction.ts'
import { withMarks } from '../../engine/calls/sensitive-values.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { findOperation } from '../../store/operations/operations.ts'
import { readAttemptPage } from '../../store/operations/attempts.ts'
import { readCalls } from '../../store/operations/calls.ts'
import { readPlan } from '../../store/operations/plans.ts'
import { readMarksSince } from '../../store/configuration/sensitivity.ts'
import { requireVisible } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging/page.ts'
import { attemptView, masksOf } from './detail.ts'
import { missingOperation } from './missing-operation.ts'

type Name = 'GET /operations/{operationId}/attempts'

/** The attempts of one call, in the order of their numbers. A call that the operation does not make has none. */
export function listAttempts(
  { deps: { db, vault }, actor }: ReadContext,
  { params: { operationId }, query }: Input<Name>,
): Promise<Answer<Name>> {
  const { stage, pluginId, limit } = query
  // one snapshot, as for the operation: a mark that is set between two reads must mask the attempts
  return inTransaction(
    db,
    async (tx) => {
      const operation = await findOperation(tx, operationId)
      if (operation === undefined) throw await missingOperation(tx, operationId)
      requireVisible(actor, scopeOf(operation), 'operation')
      const after = cursorValues(query.cursor, ['number'])
      const from = after === null ? query.from : cursorInteger(after[0])
      const calls = await readCalls(tx, vault, operationId)
      const call = calls.find((row) => row.stage === stage && row.plugin_id === pluginId)
      if (call === undefined) return { items: [], nextCursor: null }
      const plan = await readPlan(tx, vault, operationId)
      const masks = masksOf({ plan: withMarks(plan, await readMarksSince(tx, operationId)), calls })
      const attempts = await readAttemptPage(tx, { operationId, stage, pluginId }, { from, limit: limit + 1 })
      return pageOf(attempts, limit, {
        item: (attempt) => attemptView(attempt, call, operation, masks),
        valuesOf: (attempt) => [attempt.attempt + 1],
      })
    },
    { isolation: 'repeatable read' },
  )
}
