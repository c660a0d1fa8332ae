import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { Actor } from '../../model/actor.ts'
import type { WriteContext } from '../context.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { lockOperation } from '../../store/operations/operations.ts'
import { authorize, requireVisible, notFound } from '../authorize.ts'
import type { OperationRow } from '../../model/operation.ts'

/** Locks the operation that a person wants to act on. Refuses with NOT_FOUND or PERMISSION_DENIED. */
export async function lockOperationFor(
  { tx, actor }: WriteContext,
  permission: Permission,
  operationId: string,
): Promise<OperationRow> {
  const operation = await lockOperation(tx, operationId)
  requireAuthorized(actor, permission, operation)
  return operation
}

/** Refuses an operation that does not exist or that the actor may not see (NOT_FOUND), else PERMISSION_DENIED. */
export function requireAuthorized(
  actor: Actor,
  permission: Permission,
  operation: OperationRow | undefined,
): asserts operation is OperationRow {
  if (operation === undefined) throw notFound('operation')
  requireVisible(actor, scopeOf(operation), 'operation')
  authorize(actor, permission, scopeOf(operation))
}

/** Why a person cannot retry it or take it over, or null. */
export function notFailedInRun(operation: OperationRow, run: number): PlatformMessage | null {
  return operation.state === 'FAILED'
    ? inOtherRun(operation, run)
    : platformMessage('operationNotFailed', { actual: operation.state })
}

/** Why a person cannot change when it is repeated, or null. */
export function notWaitingInRun(operation: OperationRow, run: number): PlatformMessage | null {
  return operation.state === 'WAITING'
    ? inOtherRun(operation, run)
    : platformMessage('operationNotWaiting', { actual: operation.state })
}

function inOtherRun(operation: OperationRow, run: number): PlatformMessage | null {
  return operation.run === run
    ? null
    : platformMessage('operationFailedAgain', { run: operation.run, seen: run })
}
