import { namesProperty } from '#contract/protocol/named-property.ts'
import { isData } from '#contract/protocol/data.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { isFromPlugin } from '#contract/protocol/messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
import type { Call, FailedCall, CallWrites, Transition } from '../../model/call.ts'
import type { ResourceToPut } from '../../model/ledger.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { RegistrationRow } from '../../model/plugin.ts'
import { isPassedOn } from '../calls/failures.ts'
import { inCallOrder, nextStep } from './next-step.ts'
import type { Step } from './next-step.ts'
import { mergedWrites, valuesFromOthers, withWrites } from './plugin-writes.ts'
import type { ValueFromOther } from './plugin-writes.ts'
import { prepareCall } from './prepare-call.ts'
import type { CallContext, PreparedCall } from './prepare-call.ts'
import { insteadOfCall, unsentFailure } from './retired.ts'

/** Everything that one step of an operation depends on. */
interface DecisionInput {
  operation: OperationRow
  plan: FrozenPlan
  /** Current state, with none in flight. */
  calls: readonly Call[]
  /** Of the plugins that may be called next. A plugin that is disabled or not registered is absent, unless it is retired. */
  registrations: ReadonlyMap<string, RegistrationRow>
  serviceAddresses: readonly string[]
  /** The database's time. */
  now: string
  leaseMs: number | null
  /** The worker is stopping: no further call is made, and the operation is released. */
  isStopping: boolean
}

/** The effects of one step on an operation. All of it is written in one transaction before the attempts are sent. */
export interface Decision {
  operation: OperationRow
  plan: FrozenPlan
  /** The RESOURCES phase, if the step passes it. */
  ledger: LedgerChange | null
  /** Calls that fail without being made. */
  failedCalls: FailedCall[]
  /** Attempts to start; empty if the operation is released. */
  attempts: PreparedCall[]
  /** The state of the operation afterwards. */
  move: Transition
  /** The state of the calls afterwards. */
  calls: readonly Call[]
  /** A released operation is due again after this many milliseconds; null if it waits for no time. */
  dueInMs: number | null
  /** The paused plugin that it waits for; absent if it waits for none. */
  heldBy?: string
}

/** How long an operation rests if its plugin has no free capacity. */
const CAPACITY_RETRY_MS = 250
/** How long an operation rests after an error of the runtime itself. */
const ERROR_RETRY_MS = 5_000

/** Advances the operation until it has to wait for calls, a time or a person. */
export function decide(deciding: DecisionInput): Decision {
  const { operation, plan, now } = deciding
  const decided: Omit<Decision, 'move' | 'dueInMs'> = {
    operation,
    plan,
    ledger: null,
    failedCalls: [],
    attempts: [],
    calls: deciding.calls,
  }
  let { phase } = operation
  for (;;) {
    const { calls } = decided
    const step = nextStep({ operationType: operation.operation_type, phase, calls, now })
    switch (step.kind) {
      case 'apply-resources':
        decided.ledger = ledgerChange({ operation, plan, calls })
        phase = 'AFTER_RESOURCES'
        break
      case 'succeed':
        return { ...decided, move: { kind: 'succeed' }, dueInMs: null }
      case 'fail':
        return {
          ...decided,
          move: { kind: 'fail', phase, failure: withReads({ ...deciding, calls }, phase, step) },
          dueInMs: null,
        }
      case 'wait':
        return {
          ...decided,
          move: { kind: 'wait', phase, until: step.until },
          dueInMs: millisecondsBetween(now, step.until),
        }
      case 'call': {
        if (deciding.isStopping)
          return { ...decided, move: { kind: 'give-back', phase, afterMs: 0 }, dueInMs: 0 }
        const heldBy = step.pluginIds.find(
          (pluginId) => deciding.registrations.get(pluginId)?.paused === true,
        )
        // nobody leases it again before it is resumed; calls of the same order wait with the one that is held
        if (operation.paused || heldBy !== undefined)
          return {
            ...decided,
            move: { kind: 'give-back', phase, afterMs: 0 },
            dueInMs: null,
            ...(heldBy !== undefined && { heldBy }),
          }
        const failing = unsent(deciding, step)
        if (failing.length > 0) {
          // these calls have failed now: decide again
          decided.failedCalls.push(...failing)
          decided.calls = calls.map((call) => withFailure(call, failing))
          break
        }
        const begun = begin({ ...deciding, calls }, step, deciding.registrations)
        return {
          ...decided,
          ...begun,
          move: { kind: 'keep', phase, leaseMs: deciding.leaseMs },
          dueInMs: null,
        }
      }
    }
  }
}

/**
 * Marks the failure of a call that no retry can end otherwise. The rule is that of `Failure.readsWrites`: the plugin itself
 * says that the request cannot succeed, and either names a property that another plugin of the operation wrote or left
 * without a value, or a required one is missing. Another failure of a call that reads such a property may have any cause. So
 * may that of a plugin whose endpoint changed meanwhile: the new place may lack what the old one has.
 */
function withReads(
  {
    operation,
    plan,
    calls,
    registrations,
  }: Pick<DecisionInput, 'operation' | 'plan' | 'calls' | 'registrations'>,
  stage: Phase,
  { pluginId, failure }: Extract<Step, { kind: 'fail' }>,
): Failure {
  const isOwn = isFromPlugin(failure) && !isPassedOn(failure) && failure.refusedHere === undefined
  if (!isOwn || failure.retryable) return failure
  const since = registrations.get(pluginId)?.endpoint_since
  if (since !== undefined && Date.parse(since) > Date.parse(operation.created_at)) return failure
  const reader = calls.find((call) => call.stage === stage && call.pluginId === pluginId)
  const read = reader === undefined ? [] : valuesFromOthers(plan, calls, operation.operation_type, reader)
  const isFixed = ({ kind, property, value, isRequired }: ValueFromOther) =>
    kind !== 'KEPT' &&
    ((kind === 'MISSING' && isRequired) || namesProperty(failure, property, readable(value)))
  return read.some(isFixed) ? { ...failure, readsWrites: true } : failure
}

const readable = (value: TypedValue | null): unknown =>
  value !== null && isData(value) && value.isSensitive !== true ? value.value : null

/**
 * The same step if the worker has no capacity for its calls: without them, and due for any worker after a short delay.
 */
export function deferForCapacity(decision: Decision): Decision {
  const phase = phaseAfter(decision)
  return {
    ...decision,
    attempts: [],
    move: { kind: 'give-back', phase, afterMs: CAPACITY_RETRY_MS },
    dueInMs: CAPACITY_RETRY_MS,
  }
}

/** Replaces a plan that cannot be read. */
export const EMPTY_PLAN: FrozenPlan = { resources: [], plugins: [], changes: [] }

/** For an operation that an error of the runtime affects: nothing changes, and it is tried again later. */
export function restAfterError(operation: OperationRow, plan: FrozenPlan): Decision {
  return {
    operation,
    plan,
    ledger: null,
    failedCalls: [],
    attempts: [],
    calls: [],
    move: { kind: 'rest', phase: operation.phase, afterMs: ERROR_RETRY_MS },
    dueInMs: ERROR_RETRY_MS,
  }
}

/** The plugin that it waits for, or the first that still has to be called in its stage; unchanged if there is none. */
export function nextPluginAfter({ operation, calls, move, heldBy }: Decision): string {
  if (heldBy !== undefined) return heldBy
  if (move.kind === 'succeed') return operation.next_plugin
  const open = calls.filter(({ stage, endedWell }) => stage === move.phase && !endedWell)
  return inCallOrder(open, operation.operation_type)[0]?.pluginId ?? operation.next_plugin
}

export function phaseAfter({ move }: Pick<Decision, 'move'>): Phase {
  return move.kind === 'succeed' ? 'DONE' : move.phase
}

type CallStep = Extract<Step, { kind: 'call' }>

/** The next attempts of calls, and all calls of the operation once these have started. */
export function begin(
  context: CallContext,
  calling: { stage: Stage; pluginIds: readonly string[] },
  registrations: ReadonlyMap<string, RegistrationRow>,
): { attempts: PreparedCall[]; calls: Call[] } {
  const attempts: PreparedCall[] = []
  const calls = context.calls.map((call) => {
    const registration = registrations.get(call.pluginId)
    const isNext = call.stage === calling.stage && calling.pluginIds.includes(call.pluginId)
    if (!isNext || registration === undefined) return call
    const attempt = prepareCall(context, call, registration)
    attempts.push(attempt)
    return {
      ...call,
      request: attempt.bytes,
      attempts: attempt.attempt,
      runAttempts: attempt.runAttempt,
      nextAttemptAt: null,
    }
  })
  return { attempts, calls }
}

/** The calls that fail because their plugin cannot be called. */
function unsent({ operation, registrations }: DecisionInput, step: CallStep): FailedCall[] {
  return step.pluginIds.flatMap((pluginId): FailedCall[] => {
    const instead = insteadOfCall(registrations.get(pluginId), operation.operation_type)
    if (instead === null || instead === 'ANSWER') return []
    const { operation_id: operationId } = operation
    return [{ operationId, stage: step.stage, pluginId, failure: unsentFailure(pluginId, instead) }]
  })
}

function withFailure(call: Call, failing: readonly FailedCall[]): Call {
  const failed = failing.find(({ stage, pluginId }) => stage === call.stage && pluginId === call.pluginId)
  return failed === undefined ? call : { ...call, failed: true, failure: failed.failure, nextAttemptAt: null }
}

function millisecondsBetween(from: string, until: string): number {
  return Math.max(0, Date.parse(until) - Date.parse(from))
}

/** How the RESOURCES phase of an operation changes the ledger. */
interface LedgerChange {
  gone: { bundleInstallId: string; locator: string }[]
  staying: ResourceToPut[]
}

/**
 * The frozen plan with the plugins' writes so far applied. A DETACH leaves the ledger unchanged until it succeeds,
 * because references still resolve while it is unfinished.
 */
export function ledgerChange({
  operation,
  plan,
  calls,
}: {
  operation: OperationRow
  plan: FrozenPlan
  calls: readonly CallWrites[]
}): LedgerChange {
  if (operation.operation_type === 'DETACH') return { gone: [], staying: [] }
  const owner = { bundleInstallId: operation.bundle_install_id, scopeId: operation.scope_id }
  const writes = mergedWrites(calls, operation.operation_type)
  const change: LedgerChange = { gone: [], staying: [] }
  for (const resource of plan.resources) {
    if (resource.action === 'DETACH') change.gone.push({ ...owner, locator: resource.locator })
    else {
      const properties = withWrites(resource, writes)
      change.staying.push({ ...resource, ...owner, operationId: operation.operation_id, properties })
    }
  }
  return change
}
