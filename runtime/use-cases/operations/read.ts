import type { Answer, Input, ReadContext } from '../context.ts'
import { inTransaction } from '#database/transaction.ts'
import { batchesOfOperation } from '../../store/batches/list-batches.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { readNotes, findOperation } from '../../store/operations/operations.ts'
import { countResults, readAttempts, areAttemptsRemoved } from '../../store/operations/attempts.ts'
import { readCalls } from '../../store/operations/calls.ts'
import { readPlan } from '../../store/operations/plans.ts'
import { readRetries } from '../../store/operations/runs.ts'
import { readMarksSince } from '../../store/configuration/sensitivity.ts'
import { operationDetail } from './detail.ts'
import type { Tx } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { OperationDetail } from '#contract/runtime-api/operations.ts'
import { readEndpoints, isPluginOf, selectPlugins } from '../../store/plugins/plugins.ts'
import { writeRuleOf } from '../../engine/calls/refused-write.ts'
import { readPluginBindings } from '../../store/installations/last-applied.ts'
import { isPutAside } from '../../engine/plans/upgrade-plan.ts'
import { withMarks } from '../../engine/calls/sensitive-values.ts'
import { requireVisible } from '../authorize.ts'
import { missingOperation } from './missing-operation.ts'

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
  // one snapshot: an attempt that ends between two reads would be in progress in one and finished in the other
  return inTransaction(
    db,
    async (tx) => {
      const operation = await findOperation(tx, operationId)
      if (operation === undefined) throw await missingOperation(tx, operationId)
      requireVisible(actor, scopeOf(operation), 'operation')
      const plan = await readPlan(tx, vault, operationId)
      return operationDetail({
        operation,
        plan: withMarks(plan, await readMarksSince(tx, operationId)),
        putAside: new Set(plan.changes.filter((change) => isPutAside(plan, change))),
        calls: await readCalls(tx, vault, operationId),
        attempts: await readAttempts(tx, operationId, ends),
        results: ends === undefined ? [] : await countResults(tx, operationId, ends),
        notes: await readNotes(tx, operationId),
        retries: await readRetries(tx, operationId),
        successor:
          operation.taken_over_by === null ? undefined : await findOperation(tx, operation.taken_over_by),
        plugins: await selectPlugins(tx, { where: isPluginOf(operationId) }),
        endpoints: await readEndpoints(tx, operationId),
        batches: await batchesOfOperation(tx, operationId),
        attemptsRemoved: await areAttemptsRemoved(tx, operationId),
        bindings: writeRuleOf(operation.failure) === null ? undefined : await bindingsOf(tx, operation),
      })
    },
    { isolation: 'repeatable read' },
  )
}

/** The plugin bindings of the version from which the plan of an operation was compiled. */
const bindingsOf = (tx: Tx, { bundle_environment_key, bundle_id, target_version }: OperationRow) =>
  readPluginBindings(tx, { environmentKey: bundle_environment_key, bundleId: bundle_id }, target_version)
