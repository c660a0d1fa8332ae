import type { Permission } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import { uuidv7Time } from '#http-kit/random.ts'
import { isResultUnknown } from '../../engine/calls/answer.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import { afterStop } from '../../engine/steps/after-attempt.ts'
import { unexplained } from '../../engine/steps/next-step.ts'
import { identityOf, operationView } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { emitEvents } from '../../store/events.ts'
import { readEarlierResults } from '../../store/operations/attempts.ts'
import { findOperation, lockOperation } from '../../store/operations/operations.ts'
import type { TitledOperation } from '../../store/operations/operations.ts'
import { listPauses } from '../../store/operations/pauses.ts'
import { startRun, failWaiting, findWaitingCall, makeDue } from '../../store/operations/runs.ts'
import type { WaitingCall } from '../../store/operations/runs.ts'
import { readOperationsUntil } from '../../store/retention/retention-row.ts'
import { recordAudit } from '../audit/record.ts'
import { authorizeObject, notFound, reads } from '../authorize.ts'
import { retryOfRetired } from '../registry/retirement.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { admit } from '../gate/admit.ts'
import type { Admission, Once, Way } from '../gate/admit.ts'

type Name = 'POST /operations/{operationId}/retry'

/**
 * Retries a FAILED operation: same id, stages, sequence and bytes, starting with the calls that did not succeed.
 * Refuses with OPERATION_NOT_RETRYABLE if it is not FAILED, or has failed again since the person saw it; with PLUGIN_RETIRED if
 * it would call a retired plugin.
 */
export async function retryOperation(
  context: WriteContext,
  { params, body }: Input<Name>,
): Promise<Answer<Name>> {
  const { tx, actor } = context
  const failed = await lockOperationFor(context, 'operation:retry', params.operationId)
  const problem = notFailedInRun(failed, body.run)
  if (problem !== null) throw new DomainError('OPERATION_NOT_RETRYABLE', problem)
  const retired = await retryOfRetired(tx, failed)
  if (retired !== null) throw retired
  const admission = await admitRetry(tx, actor, failed, {
    override: body.override,
    reason: body.reason,
    isItem: context.isItem,
  })
  refuseFor(admission.problems)
  const { overridden } = admission

  const operation = await startRun(tx, failed.operation_id, {
    run: body.run,
    person: actor,
    reason: body.reason ?? null,
    overridden,
  })
  if (operation === null) throw new Error('a locked operation changed its state')
  await recordAudit(tx, actor, {
    action: 'operation.retry',
    subject: `${operation.operation_type} of ${failed.installation_title}, run ${operation.run}`,
    scope: scopeOf(operation),
    bundleInstallId: operation.bundle_install_id,
    operationId: operation.operation_id,
    reason: body.reason ?? null,
    overridden,
  })
  await emitEvents(tx, [
    { kind: 'operation', scopeId: operation.scope_id, objectId: operation.operation_id },
    { kind: 'installation', scopeId: operation.scope_id, objectId: operation.bundle_install_id },
  ])
  return { operation: operationView(operation) }
}

/**
 * Makes the next attempt of a WAITING operation due at once. Refuses with OPERATION_NOT_RETRYABLE unless it is WAITING
 * in the run that the person saw, and if a pause holds it.
 */
export async function attemptNow(
  context: WriteContext,
  { params, body }: Input<'POST /operations/{operationId}/attempt-now'>,
): Promise<Answer<'POST /operations/{operationId}/attempt-now'>> {
  const waiting = await lockWaiting(context, params.operationId, body.run)
  if ((await listPauses(context.tx, context.actor, { operationId: waiting.operation_id })).length > 0)
    throw new DomainError('OPERATION_NOT_RETRYABLE', platformMessage('operationPaused'))
  const overridden = await requireAdmitted(context, waiting, body)
  const call = await findWaitingCall(context.tx, waiting)
  const operation = await makeDue(context.tx, waiting.operation_id)
  return record(context, operation, {
    action: 'operation.attempt-now',
    title: waiting.installation_title,
    reason: body.reason ?? null,
    call,
    overridden,
  })
}

/**
 * Ends the automatic retries of a WAITING operation: it is FAILED with the failure of its last attempt, keeps its claim,
 * and can be retried or taken over. A late response changes nothing. Refuses as {@link attemptNow} does, but not because of a pause.
 */
export async function stopRetrying(
  context: WriteContext,
  { params, body }: Input<'POST /operations/{operationId}/stop-retrying'>,
): Promise<Answer<'POST /operations/{operationId}/stop-retrying'>> {
  const { tx, actor } = context
  const waiting = await lockWaiting(context, params.operationId, body.run)
  const overridden = await requireAdmitted(context, waiting, body)
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
  const stopped = { by: { id: actor.id, name: actor.name }, reason: body.reason }
  const failure = afterStop(
    call.last_failure ?? unexplained(call.plugin_id),
    stopped,
    earlier.some(isResultUnknown),
  )
  const operation = await failWaiting(tx, waiting.operation_id, call, failure)
  return record(context, operation, {
    action: 'operation.stop-retrying',
    title: waiting.installation_title,
    reason: body.reason,
    call,
    overridden,
  })
}

/** Refuses unless the gate admits a recovery of this operation. Returns whether the person overrode what refuses it. */
async function requireAdmitted(
  { tx, actor, isItem }: WriteContext,
  operation: OperationRow,
  { override, reason }: Way,
): Promise<boolean> {
  const { problems, overridden } = await admitRecovery(tx, actor, operation, { override, reason, isItem })
  refuseFor(problems)
  return overridden
}

/** What the gate says of a retry of this operation, which installs its version. */
export const admitRetry = (
  db: Db,
  actor: Actor,
  operation: OperationRow,
  way: Way,
  once?: Once,
): Promise<Admission> => {
  const { operation_type: kind, target_version: version } = operation
  const installs = kind === 'INSTALL' || kind === 'UPGRADE'
  const target = installs ? { target: { bundle: identityOf(operation).bundle, version } } : {}
  return admit(db, actor, { kind, isRecovery: true, scope: scopeOf(operation), ...target }, way, once)
}

/** What the gate says of what else gets this operation out of the way. */
const admitRecovery = (db: Db, actor: Actor, operation: OperationRow, way: Way): Promise<Admission> =>
  admit(db, actor, { kind: operation.operation_type, isRecovery: true, scope: scopeOf(operation) }, way)

async function lockWaiting(
  context: WriteContext,
  operationId: string,
  run: number,
): Promise<TitledOperation> {
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
    title,
    reason,
    call,
    overridden,
  }: {
    action: 'operation.attempt-now' | 'operation.stop-retrying'
    /** Of the installation. */
    title: string
    reason: string | null
    call: WaitingCall | undefined
    overridden: boolean
  },
): Promise<{ operation: ReturnType<typeof operationView> }> {
  await recordAudit(tx, actor, {
    action,
    subject: `${operation.operation_type} of ${title}, run ${operation.run}`,
    scope: scopeOf(operation),
    bundleInstallId: operation.bundle_install_id,
    operationId: operation.operation_id,
    reason,
    overridden,
  })
  await emitEvents(tx, [
    { kind: 'operation', scopeId: operation.scope_id, objectId: operation.operation_id },
    { kind: 'installation', scopeId: operation.scope_id, objectId: operation.bundle_install_id },
  ])
  return { operation: operationView({ ...operation, call_attempts: call?.run_attempts ?? 0 }) }
}

/** Locks the operation that a person wants to act on. Refuses with NOT_FOUND or PERMISSION_DENIED. */
export async function lockOperationFor(
  { tx, actor }: WriteContext,
  permission: Permission,
  operationId: string,
): Promise<TitledOperation> {
  await authorizeObject(tx, actor, permission, { operationId })
  const operation = await lockOperation(tx, operationId)
  if (operation === undefined) throw notFound('operation')
  return operation
}

/** Why a person cannot retry it or take it over, or null. */
export function notFailedInRun(operation: OperationRow, run: number): PlatformMessage | null {
  return operation.state === 'FAILED'
    ? inOtherRun(operation, run)
    : platformMessage('operationNotFailed', { actual: operation.state })
}

/** Why a person cannot change when it is repeated, or null. */
function notWaitingInRun(operation: OperationRow, run: number): PlatformMessage | null {
  return operation.state === 'WAITING'
    ? inOtherRun(operation, run)
    : platformMessage('operationNotWaiting', { actual: operation.state })
}

function inOtherRun(operation: OperationRow, run: number): PlatformMessage | null {
  return operation.run === run
    ? null
    : platformMessage('operationFailedAgain', { run: operation.run, seen: run })
}

/** An operation that the actor may see. Refuses with NOT_FOUND. */
export async function findVisibleOperation(db: Db, actor: Actor, operationId: string): Promise<OperationRow> {
  const operation = await findOperation(db, operationId)
  if (operation === undefined || !reads(actor, scopeOf(operation)))
    throw await missingOperation(db, operationId)
  return operation
}

/**
 * The refusal for an operation that is not stored, or that the actor may not see. If its ID is older than what retention keeps, it says
 * so. The ID alone decides, so that nobody learns whether the operation existed, or is still kept.
 */
async function missingOperation(db: Db, operationId: string): Promise<DomainError> {
  const until = await readOperationsUntil(db)
  const createdAt = uuidv7Time(operationId)
  if (until === null || createdAt === null || createdAt >= new Date(until)) return notFound('operation')
  return new DomainError('NOT_FOUND', platformMessage('operationRemoved', { date: until.slice(0, 10) }))
}
