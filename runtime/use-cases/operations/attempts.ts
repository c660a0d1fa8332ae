import { withMarks } from '../../engine/steps/with-marks.ts'
import { scopeOf } from '../../store/configuration/find-scope.ts'
import { findOperation } from '../../store/operations/find-operation.ts'
import { readAttemptPage } from '../../store/operations/read-attempts.ts'
import { readCalls } from '../../store/operations/read-calls.ts'
import { readPlan } from '../../store/operations/read-plan.ts'
import { readMarksSince } from '../../store/sensitive-marks/read-marks-since.ts'
import { notFound, requireVisible } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging/page.ts'
import { attemptView, masksOf } from './detail.ts'

type Name = 'GET /operations/{operationId}/attempts'

/** The attempts of one call, in the order of their numbers. A call that the operation does not make has none. */
export async function listAttempts(
  { deps, actor }: ReadContext,
  { params, query }: Input<Name>,
): Promise<Answer<Name>> {
  const { db, vault } = deps
  const { stage, pluginId, limit } = query
  const operation = await findOperation(db, params.operationId)
  if (operation === undefined) throw notFound('operation')
  requireVisible(actor, scopeOf(operation), 'operation')
  const after = cursorValues(query.cursor, ['number'])
  const from = after === null ? query.from : cursorInteger(after[0])
  const operationId = operation.operation_id
  const [plan, marks, calls, attempts] = await Promise.all([
    readPlan(db, vault, operationId),
    readMarksSince(db, operationId),
    readCalls(db, vault, operationId),
    readAttemptPage(db, { operationId, stage, pluginId }, { from, limit: limit + 1 }),
  ])
  const call = calls.find((row) => row.stage === stage && row.plugin_id === pluginId)
  if (call === undefined) return { items: [], nextCursor: null }
  const masks = masksOf({ plan: withMarks(plan, marks), calls })
  return pageOf(attempts, limit, {
    item: (attempt) => attemptView(attempt, call, operation, masks),
    valuesOf: (attempt) => [attempt.attempt + 1],
  })
}
