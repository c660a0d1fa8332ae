import { STAGES } from '#contract/protocol/vocabulary.ts'
import { claimOperations } from '../store/operations/claim-operations.ts'
import type { Claim } from '../store/operations/claim-operations.ts'
import { openCalls } from '../store/operations/read-calls.ts'
import { openPlans } from '../store/operations/read-plan.ts'
import type { World } from '../world.ts'
import { callOf } from './call.ts'
import type { Call } from './call.ts'
import { NO_PLAN } from './decide.ts'
import type { Held } from './held.ts'
import type { FrozenPlan } from './plan.ts'

/** Claims operations that are due, with everything that is needed to take them on. */
export async function claim(world: World, due: Claim): Promise<Held[]> {
  const claimed = await claimOperations(world.db, due)
  if (claimed.length === 0) return []
  const { db, vault } = world
  const planned = claimed.flatMap(({ operation: { operation_id }, plan }) =>
    plan === null ? [] : [{ operation_id, plan }],
  )
  const plans = await openPlans(db, vault, planned)
  const calls = await openCalls(
    db,
    vault,
    claimed.flatMap((one) => one.calls),
  )
  return claimed.map(({ operation }) => {
    const { operation_id: operationId, lease_epoch: epoch } = operation
    const lease = { operationId, owner: due.owner, epoch }
    const plan = plans.get(operationId) ?? new Error('it has no frozen plan')
    const rows = calls.get(operationId) ?? []
    const read =
      plan instanceof Error ? plan : rows instanceof Error ? rows : together(plan, rows.map(callOf))
    return read instanceof Error
      ? { lease, operation, plan: NO_PLAN, calls: [], unread: read }
      : { lease, operation, ...read, unread: null }
  })
}

/** A plan with its calls. Without this check an operation would pass a stage in which nobody was called. */
function together(plan: FrozenPlan, calls: readonly Call[]): Pick<Held, 'plan' | 'calls'> | Error {
  const hasAll = plan.plugins.every(({ pluginId }) =>
    STAGES.every((stage) => calls.some((call) => call.stage === stage && call.pluginId === pluginId)),
  )
  return hasAll ? { plan, calls } : new Error('plugin calls of its frozen plan are missing')
}
