import { STAGES } from '#contract/protocol/vocabulary.ts'
import { asError } from '#http-kit/text/as-error.ts'
import { callLimits, needsAddresses } from '../engine/steps/prepare-call.ts'
import { leaseOperations } from '../store/operations/lease-operations.ts'
import type { LeaseRequest, LeasedRow } from '../store/operations/lease-operations.ts'
import { openCalls, callOf } from '../store/operations/calls.ts'
import { openPlans } from '../store/operations/plans.ts'
import { readServiceAddresses } from '../store/services/services.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Call } from '../model/call.ts'
import { begin, EMPTY_PLAN } from '../engine/steps/decide.ts'
import type { LeasedOperation } from './leased-operation.ts'
import type { QueueReader } from './queue-reader.ts'
import { unsent } from './send-call.ts'
import type { FrozenPlan } from '../model/plan.ts'
import type { RegistrationRow } from '../model/registration.ts'

const [FIRST_STAGE] = STAGES

/** Leases due operations and reads everything needed to advance them. */
export async function acquireOperations(
  deps: RuntimeDeps,
  due: LeaseRequest,
  queue: Pick<QueueReader, 'lease'> = { lease: (request) => leaseOperations(deps.db, request) },
): Promise<LeasedOperation[]> {
  const leased = await queue.lease(due)
  if (leased.length === 0) return []
  const read = await readAll(deps, leased)
  const addresses = await addressesFor(deps, read)
  return read.map(({ operation, begun, plan, calls }): LeasedOperation => {
    const { operation_id: operationId, lease_epoch: epoch } = operation
    const known = {
      lease: { operationId, owner: due.owner, epoch },
      operation,
      begun: [],
      unmade: [],
      unread: null,
    }
    const unmade = () => (begun === null ? [] : [unsent(firstAttempt(operationId, begun))])
    try {
      if (plan instanceof Error) throw plan
      if (calls instanceof Error) throw calls
      if (begun === null) return { ...known, plan, calls }
      // the first step reads what is missing
      if (addresses instanceof Error) return { ...known, plan, calls: null, unmade: unmade() }
      const context = { operation, plan, calls, serviceAddresses: addresses }
      const first = { stage: FIRST_STAGE, pluginIds: [begun.plugin_id] }
      const { attempts, calls: after } = begin(context, first, new Map([[begun.plugin_id, begun]]))
      return { ...known, plan, calls: after, begun: attempts }
    } catch (error) {
      return { ...known, plan: EMPTY_PLAN, calls: [], unmade: unmade(), unread: asError(error) }
    }
  })
}

/** The attempt that the lease statement recorded, even if nothing of the operation can be read. */
function firstAttempt(operationId: string, registration: RegistrationRow): Parameters<typeof unsent>[0] {
  const { plugin_id: pluginId } = registration
  return {
    operationId,
    stage: FIRST_STAGE,
    pluginId,
    attempt: 1,
    runAttempt: 1,
    limits: callLimits(registration),
  }
}

interface Read extends Pick<LeasedRow, 'operation' | 'begun'> {
  plan: FrozenPlan | Error
  calls: Call[] | Error
}

async function readAll({ db, vault }: RuntimeDeps, leased: readonly LeasedRow[]): Promise<Read[]> {
  const planned = leased.flatMap(({ operation: { operation_id }, plan }) =>
    plan === null ? [] : [{ operation_id, plan }],
  )
  const plans = await openPlans(db, vault, planned)
  const called = await openCalls(
    db,
    vault,
    leased.flatMap((one) => one.calls),
  )
  return leased.map(({ operation, begun }) => {
    const plan = plans.get(operation.operation_id) ?? new Error('it has no frozen plan')
    const rows = called.get(operation.operation_id) ?? []
    const calls = rows instanceof Error ? rows : rows.map(callOf)
    const isWhole = plan instanceof Error || calls instanceof Error || hasAllCalls(plan, calls)
    const missing = new Error('plugin calls of its frozen plan are missing')
    return { operation, begun, plan, calls: isWhole ? calls : missing }
  })
}

/**
 * Whether each plugin of a plan has its calls. Without this check an operation would pass a stage without calling its
 * plugins.
 */
function hasAllCalls(plan: FrozenPlan, calls: readonly Call[]): boolean {
  return plan.plugins.every(({ pluginId }) =>
    STAGES.every((stage) => calls.some((call) => call.stage === stage && call.pluginId === pluginId)),
  )
}

/** The URLs that no plugin may write or tell, if a plugin that is called may do either. */
async function addressesFor({ db }: RuntimeDeps, read: readonly Read[]): Promise<string[] | Error> {
  const areNeeded = read.some(
    ({ begun, plan }) =>
      !(plan instanceof Error) &&
      plan.plugins.some((plugin) => plugin.pluginId === begun?.plugin_id && needsAddresses(plugin)),
  )
  if (!areNeeded) return []
  // the operations are leased already: those that need no addresses continue
  return readServiceAddresses(db).catch(asError)
}
