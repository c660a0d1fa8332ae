import type { Failure } from '#contract/runtime-api/common.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { newSecrets } from '../engine/calls/sensitive-values.ts'
import {
  afterAttempt,
  dependsOnEarlier,
  isSameCall,
  withAnswer,
  withoutSecrets,
} from '../engine/steps/after-attempt.ts'
import { decide, deferForCapacity, nextPluginAfter, restAfterError } from '../engine/steps/decide.ts'
import type { Decision } from '../engine/steps/decide.ts'
import type { CompletedAttempt, RecordedAttempt } from '../model/attempt.ts'
import type { Call } from '../model/call.ts'
import type { Db } from '../model/db.ts'
import { unknownResultOf } from '../engine/calls/read-answer.ts'
import { readEarlierResults } from '../store/operations/attempts.ts'
import type { AdvanceOptions, Ready } from './advance-types.ts'
import { readSharedInput } from './decision-input.ts'
import type { RecallOptions, SharedInput } from './decision-input.ts'
import type { LeasedOperation } from './leased-operation.ts'
import type { LeasedDecision } from './persist-decisions.ts'

/** An operation with everything needed to decide its next step. */
interface Known {
  ready: Ready
  operation: LeasedOperation['operation']
  /** Recorded together with the decision. */
  answered: readonly CompletedAttempt[]
  calls: readonly Call[]
}

/** The worker's own copy of an operation; null if it has to be read. */
export function knownOf(ready: Ready): Known | null {
  const { leased, answered } = ready
  return leased.calls === null ? null : { ready, operation: leased.operation, answered, calls: leased.calls }
}

/** A decision and the operation that it was made for. */
export interface Step extends LeasedDecision {
  ready: Ready
}

export function stepOf(ready: Ready, answers: readonly RecordedAttempt[], decision: Decision): Step {
  return { ready, lease: ready.leased.lease, answers, decision, nextPlugin: nextPluginAfter(decision) }
}

/**
 * Decides for several operations, with one read of what all decisions share. Leaves out what one statement cannot
 * write.
 */
export async function decideBatch(
  deps: RuntimeDeps,
  db: Db,
  known: readonly Known[],
  options: AdvanceOptions & RecallOptions,
): Promise<Step[]> {
  const shared = await readSharedInput(
    db,
    known.map(({ ready, calls, answered }) => ({
      plan: ready.leased.plan,
      calls: calls.filter(
        (call) =>
          !answered.some((attempt) => isSameCall(attempt, call) && attempt.judgement.disposition === 'done'),
      ),
    })),
    options,
  )
  const unknownBefore = await readUnknownBefore(
    db,
    known.flatMap(({ answered }) => answered),
  )
  return known.flatMap(({ ready, operation, answered, calls: before }): Step[] => {
    const { plan } = ready.leased
    const answers = answered.map((attempt) => recordOf(deps, attempt, shared.now, unknownBefore.get(attempt)))
    const secrets = answers.flatMap((attempt) => newSecrets(attempt)?.secrets ?? [])
    const calls = before.map((call) => withoutSecrets(withAnswer(call, answers), secrets))
    const decision = ready.isInFlight
      ? awaitCalls({ operation, plan, calls }, options)
      : decideOrRest(deps, ready, { operation, plan, calls, shared, ...options })
    // a call that got a response and is repeated immediately would be updated twice, which one statement cannot do
    const isUpdatedTwice = [...decision.attempts, ...decision.failedCalls].some((call) =>
      answers.some(({ key }) => isSameCall(key, call)),
    )
    return isUpdatedTwice ? [] : [stepOf(ready, answers, decision)]
  })
}

/**
 * For those attempts that end their run: the failure of the last earlier attempt of the run whose result is unknown, if
 * there is one.
 */
export async function readUnknownBefore(
  db: Db,
  attempts: readonly CompletedAttempt[],
): Promise<Map<CompletedAttempt, Failure>> {
  const found = new Map<CompletedAttempt, Failure>()
  // few attempts are the last one of their run
  for (const attempt of attempts.filter(dependsOnEarlier)) {
    const failure = unknownResultOf(attempt.pluginId, await readEarlierResults(db, attempt))
    if (failure !== null) found.set(attempt, failure)
  }
  return found
}

/** The record of an attempt. `now` is the database's time; `unknownBefore` as `readUnknownBefore` finds it. */
export function recordOf(
  deps: RuntimeDeps,
  attempt: CompletedAttempt,
  now: string,
  unknownBefore: Failure | undefined,
): RecordedAttempt {
  const { judgement, timing, runAttempt, limits, isGivenBack } = attempt
  const after = afterAttempt({
    judgement,
    runAttempts: runAttempt,
    limits: isGivenBack ? { ...limits, maxAttempts: Infinity } : limits,
    fraction: deps.random.fraction(),
    ...(unknownBefore !== undefined && { unknownBefore }),
  })
  const nextAttemptAt = after.waitMs === null ? null : new Date(Date.parse(now) + after.waitMs).toISOString()
  return { key: attempt, timing, judgement, after, nextAttemptAt }
}

type Standing = Pick<Decision, 'operation' | 'plan' | 'calls'>

/** No decision, because calls of the operation are still in flight. */
export function awaitCalls(standing: Standing, { leaseMs }: AdvanceOptions): Decision {
  const move = { kind: 'keep', phase: standing.operation.phase, leaseMs } as const
  return { ...standing, move, ledger: null, failedCalls: [], attempts: [], dueInMs: null }
}

/** The next step of one operation. If it cannot be decided the operation rests, and the others continue. */
function decideOrRest(
  deps: RuntimeDeps,
  { permits, leased }: Ready,
  input: AdvanceOptions & Standing & { shared: SharedInput },
): Decision {
  const { operation, plan, shared } = input
  try {
    if (leased.unread !== null) throw leased.unread
    const decision = decide({ ...input, ...shared })
    const hasCapacity = permits.keep(decision.attempts.map(({ pluginId }) => pluginId))
    return hasCapacity ? decision : deferForCapacity(decision)
  } catch (error) {
    deps.log.error('an operation cannot continue', { operationId: operation.operation_id }, error)
    return restAfterError(operation, plan)
  }
}
