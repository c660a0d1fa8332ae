import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { emitEvents } from '../../store/events.ts'
import { DomainError } from '../../engine/refusals.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { startRun } from '../../store/operations/runs.ts'
import { lockOperationFor, notFailedInRun } from './lock-operation-for.ts'
import { operationView } from '../../engine/views.ts'

type Name = 'POST /operations/{operationId}/retry'

/**
 * Retries a FAILED operation: same id, stages, sequence and bytes, starting with the calls that did not succeed.
 * Refuses with OPERATION_NOT_RETRYABLE if it is not FAILED, or has failed again since the person saw it.
 */
export async function retryOperation(
  context: WriteContext,
  { params, body }: Input<Name>,
): Promise<Answer<Name>> {
  const { tx, actor } = context
  const failed = await lockOperationFor(context, 'operation:retry', params.operationId)
  const problem = notFailedInRun(failed, body.run)
  if (problem !== null) throw new DomainError('OPERATION_NOT_RETRYABLE', problem)

  const operation = await startRun(tx, failed.operation_id, {
    run: body.run,
    person: actor,
    reason: body.reason ?? null,
  })
  if (operation === null) throw new Error('a locked operation changed its state')
  await recordAudit(tx, actor, {
    action: 'operation.retry',
    subject: `${operation.operation_type} of ${operation.bundle_id}, run ${operation.run}`,
    scope: scopeOf(operation),
    bundleInstallId: operation.bundle_install_id,
    operationId: operation.operation_id,
    reason: body.reason ?? null,
  })
  await emitEvents(tx, [
    { kind: 'operation', scopeId: operation.scope_id, objectId: operation.operation_id },
    { kind: 'installation', scopeId: operation.scope_id, objectId: operation.bundle_install_id },
  ])
  return { operation: operationView(operation) }
}
