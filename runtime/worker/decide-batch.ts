import type { Failure } from '#contract/runtime-api/common.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { isPassedOn } from '../engine/calls/failures.ts'
import { isResultUnknown } from '../engine/calls/answer.ts'
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
import { needsAddresses } from '../engine/steps/prepare-call.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import type { CompletedAttempt, RecordedAttempt, Call, Transition } from '../model/call.ts'
import type { Db } from '../model/db.ts'
import type { FrozenPlan } from '../model/plan.ts'
import type { RegistrationRow } from '../model/plugin.ts'
import { readEarlierResults } from '../store/operations/attempts.ts'
import { findRefusal } from '../store/plugins/refusals.ts'
import { readServiceAddresses } from '../store/services/services.ts'
import type { LeasedOperation } from './acquire-operations.ts'
import type { Permits } from './bulkhead.ts'
import type { KnownRegistrations } from './known-registrations.ts'
import type { LeasedDecision } from './persist-decisions.ts'

/** A leased operation that can be advanced: it was just acquired, or a response arrived. */
export interface Ready {
  leased: LeasedOperation
  answered: readonly CompletedAttempt[]
  /** Other calls of the operation are still in flight: the responses are recorded and nothing is decided. */
  isInFlight: boolean
  permits: Permits
}

export interface AdvanceOptions {
  /** The length of the lease that starts with this write; null keeps the current one. */
  leaseMs: number | null
  /** The worker is stopping: no further call is made, and operations are released. */
  isStopping: boolean
  registrations: KnownRegistrations
}

/** What the worker does next with an operation. `lost`: its lease is gone and nothing was changed. */
export type Advanced =
  | { kind: 'lost' }
  | { kind: 'in-flight' }
  | { kind: 'call'; calls: readonly PreparedCall[] }
  | Released

/** The operation was released. It is due again after `dueInMs`; null if it waits for no time. */
export interface Released {
  kind: 'released'
  dueInMs: number | null
  state: Transition['kind']
}

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
export interface DecidedStep extends LeasedDecision {
  ready: Ready
}

export function stepOf(ready: Ready, answers: readonly RecordedAttempt[], decision: Decision): DecidedStep {
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
): Promise<DecidedStep[]> {
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
  const record = await readRecorder(
    deps,
    db,
    known.flatMap((one) => one.answered),
    shared.now,
  )
  return known.flatMap(({ ready, operation, answered: own, calls: before }): DecidedStep[] => {
    const { plan } = ready.leased
    const answers = own.map(record)
    const secrets = answers.flatMap((attempt) => newSecrets(attempt)?.secrets ?? [])
    const calls = before.map((call) => withoutSecrets(withAnswer(call, answers), secrets))
    const decision = ready.isInFlight
      ? awaitCalls({ operation, plan, calls }, options)
      : decideOrRest(deps, ready, { operation, plan, calls, shared, ...options })
    // a call that got a response and is repeated immediately would be updated twice, which one statement cannot do
    ready.leased.isLeaving = !ready.isInFlight && decision.attempts.length === 0
    const isUpdatedTwice = [...decision.attempts, ...decision.failedCalls].some((call) =>
      answers.some(({ key }) => isSameCall(key, call)),
    )
    return isUpdatedTwice ? [] : [stepOf(ready, answers, decision)]
  })
}

/** Reads what the records of the attempts depend on. Returns what records one of them; `now` is the database's time. */
export async function readRecorder(
  deps: RuntimeDeps,
  db: Db,
  attempts: readonly CompletedAttempt[],
  now: string,
): Promise<(attempt: CompletedAttempt) => RecordedAttempt> {
  const unknownBefore = await readUnknownBefore(db, attempts)
  const refused = await readRefused(db, attempts)
  return (attempt) => recordOf(deps, attempt, now, unknownBefore.has(attempt), refused.get(attempt))
}

/** Those attempts that end their run, with an earlier attempt whose result is unknown. */
async function readUnknownBefore(
  db: Db,
  attempts: readonly CompletedAttempt[],
): Promise<Set<CompletedAttempt>> {
  const found = new Set<CompletedAttempt>()
  // few attempts are the last one of their run
  for (const attempt of attempts.filter(dependsOnEarlier))
    if ((await readEarlierResults(db, attempt)).some(isResultUnknown)) found.add(attempt)
  return found
}

/** For those attempts whose plugin passes on a failure of this platform: what the platform refused it, if it did. */
async function readRefused(
  db: Db,
  attempts: readonly CompletedAttempt[],
): Promise<Map<CompletedAttempt, RefusedHere>> {
  const found = new Map<CompletedAttempt, RefusedHere>()
  for (const attempt of attempts) {
    const { failure } = attempt.judgement
    if (failure === null || !isPassedOn(failure)) continue
    const refused = await findRefusal(db, attempt, failure.errorCode)
    if (refused !== undefined) found.set(attempt, refused)
  }
  return found
}

/**
 * The record of an attempt. `now` is the database's time; `hasUnknownBefore` as `readUnknownBefore` finds it, and `refusedHere` as
 * `readRefused` does.
 */
function recordOf(
  deps: RuntimeDeps,
  attempt: CompletedAttempt,
  now: string,
  hasUnknownBefore: boolean,
  refusedHere: RefusedHere | undefined,
): RecordedAttempt {
  const { timing, runAttempt, limits, isGivenBack } = attempt
  const { failure } = attempt.judgement
  const judgement =
    failure === null || refusedHere === undefined
      ? attempt.judgement
      : { ...attempt.judgement, failure: { ...failure, refusedHere } }
  const after = afterAttempt({
    judgement,
    runAttempts: runAttempt,
    limits: isGivenBack ? { ...limits, maxAttempts: Infinity } : limits,
    fraction: deps.random.fraction(),
    now,
    hasUnknownBefore,
  })
  const nextAttemptAt = after.waitMs === null ? null : new Date(Date.parse(now) + after.waitMs).toISOString()
  return { key: attempt, timing, judgement, after, nextAttemptAt }
}

type RefusedHere = NonNullable<Failure['refusedHere']>

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
    const sent = decision.attempts.filter(({ registration }) => !registration.retired)
    const hasCapacity = permits.keep(sent.map(({ pluginId }) => pluginId))
    return hasCapacity ? decision : deferForCapacity(decision)
  } catch (error) {
    deps.log.error('an operation cannot continue', { operationId: operation.operation_id }, error)
    return restAfterError(operation, plan)
  }
}

/** What deciding needs besides the operations, read once for all that are advanced together. */
interface SharedInput {
  /** The database's time. */
  now: string
  /** Of the plugins that may be called next. */
  registrations: ReadonlyMap<string, RegistrationRow>
  serviceAddresses: readonly string[]
}

/** Cached registrations may be used only if the write verifies what was decided from them. */
interface RecallOptions {
  registrations: KnownRegistrations
  mayRecall: boolean
}

/** If no call is left to make, nothing depends on the time or on a plugin. */
const EMPTY_INPUT: SharedInput = {
  now: '1970-01-01T00:00:00.000Z',
  registrations: new Map(),
  serviceAddresses: [],
}

async function readSharedInput(
  db: Db,
  about: readonly { plan: FrozenPlan; calls: readonly Call[] }[],
  { registrations, mayRecall }: RecallOptions,
): Promise<SharedInput> {
  const open = about.flatMap(({ plan, calls }) =>
    plan.plugins.filter((plugin) =>
      calls.some(({ pluginId, endedWell }) => pluginId === plugin.pluginId && !endedWell),
    ),
  )
  if (open.length === 0) return EMPTY_INPUT
  const needsAnyAddresses = open.some(needsAddresses)
  const pluginIds = [...new Set(open.map(({ pluginId }) => pluginId))]
  const recalled = mayRecall && !needsAnyAddresses ? registrations.recall(pluginIds) : null
  if (recalled !== null) return { now: recalled.now, registrations: recalled.byPlugin, serviceAddresses: [] }
  const [{ now, byPlugin }, serviceAddresses] = await Promise.all([
    registrations.read(db, pluginIds),
    needsAnyAddresses ? readServiceAddresses(db) : [],
  ])
  return { now, registrations: byPlugin, serviceAddresses }
}
