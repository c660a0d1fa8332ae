import { buildRequest, requestBytes } from '../calls/build-request.ts'
import { inCallOrder } from './next-step.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import { operationView } from './operation-view.ts'
import type { OperationRow } from '../../model/operation.ts'

/**
 * The first request of a new operation. No plugin has written anything before it, so it is known when the operation is
 * created, and the statement that leases the operation can also start the call. Null if several plugins are called
 * first, or none.
 */
export function firstRequest(
  operation: OperationRow,
  plan: FrozenPlan,
): { pluginId: string; bytes: Uint8Array } | null {
  const [first, second] = inCallOrder(plan.plugins, operation.operation_type)
  if (first === undefined || second?.order === first.order) return null
  const call = { stage: 'BEFORE_RESOURCES', authorization: first, plan, writes: {} } as const
  return { pluginId: first.pluginId, bytes: requestBytes(buildRequest(operationView(operation), call)) }
}
