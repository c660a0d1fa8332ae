import type { Answer, Input, ReadContext } from '../context.ts'
import { batchesOfOperation } from '../../store/batches/batches-of-operation.ts'
import { scopeOf } from '../../store/configuration/find-scope.ts'
import { findOperation } from '../../store/operations/find-operation.ts'
import { countResults, readAttempts } from '../../store/operations/read-attempts.ts'
import { readCalls } from '../../store/operations/read-calls.ts'
import { readPlan } from '../../store/operations/read-plan.ts'
import { readRetries } from '../../store/operations/read-retries.ts'
import { readMarksSince } from '../../store/sensitive-marks/read-marks-since.ts'
import { operationDetail } from './detail.ts'
import type { OperationDetail } from '#contract/runtime-api/operations.ts'
import { isPluginOf, selectPlugins } from '../../store/plugins/select-plugins.ts'
import { withMarks } from '../../engine/steps/with-marks.ts'
import { requireVisible, notFound } from '../authorize.ts'

type Name = 'GET /operations/{operationId}'

/** How many attempts of a call the answer has of its beginning, and of its end. */
export const SHOWN_ENDS = 20

/** One operation with its plan, its calls, and the first and the last attempts of each. */
export function readOperation(context: ReadContext, { params }: Input<Name>): Promise<Answer<Name>> {
  return readDetail(context, params.operationId, SHOWN_ENDS)
}

/** One operation with all attempts, or the first and the last `ends` of each call. Refuses with NOT_FOUND. */
export async function readDetail(
  { deps, actor }: ReadContext,
  operationId: string,
  ends?: number,
): Promise<OperationDetail> {
  const { db, vault } = deps
  const operation = await findOperation(db, operationId)
  if (operation === undefined) throw notFound('operation')
  requireVisible(actor, scopeOf(operation), 'operation')
  const [plan, marks, calls, attempts, results, retries, successor, plugins, batches] = await Promise.all([
    readPlan(db, vault, operation.operation_id),
    readMarksSince(db, operation.operation_id),
    readCalls(db, vault, operation.operation_id),
    readAttempts(db, operation.operation_id, ends),
    ends === undefined ? [] : countResults(db, operation.operation_id, ends),
    readRetries(db, operation.operation_id),
    operation.taken_over_by === null ? undefined : findOperation(db, operation.taken_over_by),
    selectPlugins(db, { where: isPluginOf(operation.operation_id) }),
    batchesOfOperation(db, operation.operation_id),
  ])
  return operationDetail({
    operation,
    plan: withMarks(plan, marks),
    calls,
    attempts,
    results,
    retries,
    successor,
    plugins,
    batches,
  })
}
