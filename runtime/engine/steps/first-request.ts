import { buildRequest, requestBytes } from '../calls/build-request.ts'
import { inCallOrder } from './next-step.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import { operationView } from './operation-view.ts'
import type { OperationRow } from '../../model/operation.ts'

/**
 * What the first call of a new operation sends: nobody has written anything before it, so it is known when the operation is
 * made, and whoever claims the operation can begin the call with the same statement. Null where several plugins are called
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
