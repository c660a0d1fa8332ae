import { uuidv7 } from '#http-kit/ids.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { emitEvents } from '../../store/events/emit-events.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { scopeOf } from '../../store/configuration/find-scope.ts'
import { readLedger } from '../../store/installations/read-ledger.ts'
import { handOver, nameSuccessor } from '../../store/operations/hand-over.ts'
import { lockInstallation } from '../../store/operations/lock-installation.ts'
import { readCalls } from '../../store/operations/read-calls.ts'
import { readPlan } from '../../store/operations/read-plan.ts'
import { detachPlan } from '../../engine/plans/detach-plan.ts'
import { freezeOperation } from './freeze.ts'
import { lockOperationFor, notFailedInRun } from './lock-operation-for.ts'
import { mergedWrites } from '../../engine/steps/merged-writes.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import { operationView } from '../../engine/steps/operation-view.ts'
import { callOf } from '../../store/operations/call-of-row.ts'
import type { OperationRow } from '../../model/operation.ts'

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
  const problem = notFailedInRun(failed, body.run)
  if (problem !== null) throw new DomainError('TAKEOVER_NOT_ALLOWED', problem)

  const installation = await lockInstallation(tx, failed.bundle_install_id)
  if (!(await handOver(tx, failed.operation_id, body.run))) throw new Error('a FAILED operation has no claim')
  const operation = await freezeOperation(tx, deps.vault, {
    operationId: uuidv7(deps),
    installation,
    operationType: 'DETACH',
    currentVersion: installation.version,
    targetVersion: failed.target_version,
    plan: await planOver(context, failed),
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

/** Every plan for an installed version contains all of its plugins, so the plan taken over contains those too. */
async function planOver({ tx, deps: { vault } }: WriteContext, failed: OperationRow): Promise<FrozenPlan> {
  const ledger = await readLedger(tx, vault, [failed.bundle_install_id])
  const plan = await readPlan(tx, vault, failed.operation_id)
  const calls = (await readCalls(tx, vault, failed.operation_id)).map(callOf)
  return detachPlan({
    ledger,
    plugins: [],
    takenOver: { plan, writes: mergedWrites(calls, failed.operation_type) },
  })
}
