import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'
import { afterStop } from '../../engine/steps/after-attempt.ts'
import { unexplained } from '../../engine/steps/next-step.ts'
import { operationView } from '../../engine/views.ts'
import type { OperationRow } from '../../model/operation.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { emitEvents } from '../../store/events.ts'
import { unknownResultOf } from '../../engine/calls/read-answer.ts'
import { readEarlierResults } from '../../store/operations/attempts.ts'
import { failWaiting, findWaitingCall, makeDue } from '../../store/operations/runs.ts'
import type { WaitingCall } from '../../store/operations/runs.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { lockOperationFor, notWaitingInRun } from './lock-operation-for.ts'

/**
 * Makes the next attempt of a WAITING operation due at once. Refuses with OPERATION_NOT_RETRYABLE unless it is WAITING
 * in the run that the person saw.
 */
export async function attemptNow(
  context: WriteContext,
  { params, body }: Input<'POST /operations/{operationId}/attempt-now'>,
): Promise<Answer<'POST /operations/{operationId}/attempt-now'>> {
  const waiting = await lockWaiting(context, params.operationId, body.run)
  const call = await findWaitingCall(context.tx, waiting)
  const operation = await makeDue(context.tx, waiting.operation_id)
  return record(context, operation, { action: 'operation.attempt-now', reason: null, call })
}

/**
 * Ends the automatic retries of a WAITING operation: it is FAILED with the failure of its last attempt, keeps its claim,
 * and can be retried or taken over. A late response changes nothing. Refuses as {@link attemptNow} does.
 */
export async function stopRetrying(
  context: WriteContext,
  { params, body }: Input<'POST /operations/{operationId}/stop-retrying'>,
): Promise<Answer<'POST /operations/{operationId}/stop-retrying'>> {
  const { tx, actor } = context
  const waiting = await lockWaiting(context, params.operationId, body.run)
  const call = await findWaitingCall(tx, waiting)
  if (call === undefined)
    throw new DomainError(
      'OPERATION_NOT_RETRYABLE',
      platformMessage('operationNotWaiting', { actual: 'RUNNING' }),
    )
  const earlier = await readEarlierResults(tx, {
    operationId: waiting.operation_id,
    stage: call.stage,
    pluginId: call.plugin_id,
    attempt: call.attempts,
  })
  const unknownBefore = unknownResultOf(call.plugin_id, earlier)
  const stopped = { by: { id: actor.id, name: actor.name }, reason: body.reason }
  const failure = afterStop(call.last_failure ?? unexplained(call.plugin_id), stopped, unknownBefore)
  const operation = await failWaiting(tx, waiting.operation_id, call, failure)
  return record(context, operation, { action: 'operation.stop-retrying', reason: body.reason, call })
}

async function lockWaiting(context: WriteContext, operationId: string, run: number): Promise<OperationRow> {
  const operation = await lockOperationFor(context, 'operation:retry', operationId)
  const problem = notWaitingInRun(operation, run)
  if (problem !== null) throw new DomainError('OPERATION_NOT_RETRYABLE', problem)
  return operation
}

async function record(
  { tx, actor }: WriteContext,
  operation: OperationRow,
  {
    action,
    reason,
    call,
  }: {
    action: 'operation.attempt-now' | 'operation.stop-retrying'
    reason: string | null
    call: WaitingCall | undefined
  },
): Promise<{ operation: ReturnType<typeof operationView> }> {
  await recordAudit(tx, actor, {
    action,
    subject: `${operation.operation_type} of ${operation.bundle_id}, run ${operation.run}`,
    scope: scopeOf(operation),
    bundleInstallId: operation.bundle_install_id,
    operationId: operation.operation_id,
    reason,
  })
  await emitEvents(tx, [
    { kind: 'operation', scopeId: operation.scope_id, objectId: operation.operation_id },
    { kind: 'installation', scopeId: operation.scope_id, objectId: operation.bundle_install_id },
  ])
  return { operation: operationView({ ...operation, call_attempts: call?.run_attempts ?? 0 }) }
}
