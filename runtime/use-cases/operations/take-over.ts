import { uuidv7 } from '#http-kit/ids.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { emitEvents } from '../../store/events.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { handOver, nameSuccessor } from '../../store/operations/runs.ts'
import { lockInstallation } from '../../store/installations/installations.ts'
import { findOperation } from '../../store/operations/operations.ts'
import { planOrRefuse } from '../plans/evaluation.ts'
import { operationPlan, planAt } from '../plans/plan-view.ts'
import { evaluateTakeover } from './evaluate-takeover.ts'
import { freezeOperation } from './freeze.ts'
import { lockOperationFor, requireAuthorized } from './lock-operation-for.ts'
import { operationView } from '../../engine/views.ts'

type Name = 'POST /operations/{operationId}/takeover'

/**
 * Takes over a FAILED operation, even a DETACH, with a new DETACH: the operation becomes TAKEN_OVER, and its claim
 * moves. Refuses with TAKEOVER_NOT_ALLOWED if it is not FAILED, or has failed again since the person saw it.
 */
export async function takeOverOperation(
  context: WriteContext,
  { params, body }: Input<Name>,
): Promise<Answer<Name>> {
  const { tx, actor, deps } = context
  const failed = await lockOperationFor(context, 'operation:takeover', params.operationId)
  const installation = await lockInstallation(tx, failed.bundle_install_id)
  const evaluation = await evaluateTakeover(tx, deps.vault, failed, body.run)
  const plan = await planOrRefuse({ db: tx, vault: deps.vault }, evaluation, body.planToken)
  if (!(await handOver(tx, failed.operation_id, body.run))) throw new Error('a FAILED operation has no claim')
  const operation = await freezeOperation(tx, deps.vault, {
    operationId: uuidv7(deps),
    installation,
    operationType: 'DETACH',
    currentVersion: installation.version,
    targetVersion: failed.target_version,
    plan,
    actor,
    reason: body.reason,
    takesOver: failed.operation_id,
  })
  await nameSuccessor(tx, failed.operation_id, operation.operation_id)
  await recordAudit(tx, actor, {
    action: 'operation.takeover',
    subject: `${failed.operation_type} of ${failed.bundle_id}`,
    scope: scopeOf(failed),
    bundleInstallId: failed.bundle_install_id,
    operationId: operation.operation_id,
    reason: body.reason,
  })
  await emitEvents(tx, [{ kind: 'operation', scopeId: failed.scope_id, objectId: failed.operation_id }])
  return { operation: operationView(operation) }
}

/** What a takeover would do. */
export function planTakeover(
  context: ReadContext,
  { params, body }: Input<`${Name}/plan`>,
): Promise<Answer<`${Name}/plan`>> {
  const { actor, deps } = context
  return planAt(context, async (db) => {
    const operation = await findOperation(db, params.operationId)
    requireAuthorized(actor, 'operation:takeover', operation)
    return operationPlan(db, deps, await evaluateTakeover(db, deps.vault, operation, body.run))
  })
}
