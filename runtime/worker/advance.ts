import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { inTransaction, isPgError, PG } from '#database/transaction.ts'
import { maskFailure } from '../engine/calls/failures.ts'
import { persistTransitions } from '../store/operations/persist-transitions.ts'
import type { PersistedTransitions } from '../store/operations/persist-transitions.ts'
import { lockLeased } from '../store/operations/lock-leased.ts'
import { lockScopes } from '../store/operations/lock-scopes.ts'
import { redactRecorded } from './redact-recorded.ts'
import { readCalls } from '../store/operations/read-calls.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { afterAttempt } from '../engine/steps/after-attempt.ts'
import type { Call } from '../model/call.ts'
import {
  deferForCapacity,
  decide,
  nextPluginAfter,
  phaseAfter,
  restAfterError,
} from '../engine/steps/decide.ts'
import type { Decision } from '../engine/steps/decide.ts'
import { readSharedInput } from './decision-input.ts'
import type { SharedInput, RecallOptions } from './decision-input.ts'
import type { CompletedAttempt, LeasedOperation } from './leased-operation.ts'
import type { KnownRegistrations } from './known-registrations.ts'
import type { Permits } from './bulkhead.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import { newSecrets, sensitiveIn } from '../engine/calls/sensitive-values.ts'
import { mayChangeConfiguration } from './apply-success.ts'
import { persistDecisions, persistWideDecisions } from './persist-decisions.ts'
import type { LeasedDecision } from './persist-decisions.ts'
import type { Transition } from '../model/transition.ts'
import type { RecordedAttempt } from '../model/attempt.ts'
import type { Db, Tx } from '../model/db.ts'
import { callOf } from '../store/operations/call-of-row.ts'

// How operations are taken from one set of answers to the next set of calls: the answers are recorded, what comes next is
// decided, resources are applied or a success is settled, and the attempts that come next are recorded. All of that in
// one transaction, so that all that was answered and decided is durable before anything else is done, and a worker that
// lost a lease changes nothing.
//
// While a worker holds an operation nobody else changes it, so the worker decides by what it knows of it; that it holds it
// still is told by the statement that writes. What it knows is dropped after any error: then nobody knows what was
// committed, and the operation is advanced alone, by what is read.

/** An operation that a worker holds and that can be taken on: because it was claimed, or because an answer came. */
export interface Ready {
  held: LeasedOperation
  answered: readonly CompletedAttempt[]
  /** Calls of the operation are still under way: then answers are recorded and nothing is decided. */
  isInFlight: boolean
  permits: Permits
}

export interface AdvanceOptions {
  /** Of the lease that begins with what is written; null: the present one goes on. */
  leaseMs: number | null
  /** The worker stops: no further call is made, operations are given back. */
  isStopping: boolean
  /** What the worker knows of plugins. */
  registrations: KnownRegistrations
}

export type Advanced =
  /** The worker does not hold the operation any more; nothing was changed. */
  { kind: 'lost' } | { kind: 'in-flight' } | { kind: 'call'; calls: readonly PreparedCall[] } | LetGo

/** Done for now; due again after so many milliseconds, or null when it waits for nothing. */
export interface LetGo {
  kind: 'let-go'
  dueInMs: number | null
  state: Transition['kind']
}

/**
 * Takes operations on together. It waits for no lock: an operation that is left out of the answer is locked by somebody
 * else, lost, or not as was assumed, and is to be advanced alone. When it throws all of them are.
 */
export async function advanceBatch(
  deps: RuntimeDeps,
  batch: readonly Ready[],
  options: AdvanceOptions,
): Promise<Map<Ready, Advanced>> {
  const known = batch.flatMap((ready) => knownOf(ready) ?? [])
  const steps = await decideAll(deps, deps.db, known, { ...options, mayRecall: true })
  return conclude(steps, await persistDecisions(deps.db, deps.vault, steps))
}

/** The same for operations that may change more than what is theirs: the locks of their scopes come before all others. */
export async function advanceWideBatch(
  deps: RuntimeDeps,
  batch: readonly Ready[],
  options: AdvanceOptions,
): Promise<Map<Ready, Advanced>> {
  const { steps, written } = await inTransaction(deps.db, async (tx) => {
    const free = await lockScopesOf(tx, batch, { skipLocked: true })
    const locked = await lockLeased(tx, leasesOf(free), { skipLocked: true })
    const isLocked = new Set(locked.map(({ operation }) => operation.operation_id))
    const known = free
      .filter(({ held }) => isLocked.has(held.lease.operationId))
      .flatMap((ready) => knownOf(ready) ?? [])
    const decided = await decideAll(deps, tx, known, { ...options, mayRecall: false })
    return { steps: decided, written: await persistWideDecisions(tx, deps.vault, decided) }
  })
  return conclude(steps, written)
}

/**
 * The same for one operation, waiting for locks. A trouble of the runtime's own undoes all but the recording of the
 * answers: no plugin is asked again because of it, and the operation rests for a while, when no call is under way.
 */
export async function advanceSingle(
  deps: RuntimeDeps,
  ready: Ready,
  options: AdvanceOptions,
): Promise<Advanced> {
  const { held, answered } = ready
  // what was kept of it may not be what is there
  held.calls = null
  const done = await inTransaction(deps.db, async (tx) => {
    await lockScopesOf(tx, [ready], { skipLocked: false })
    const [locked] = await lockLeased(tx, [held.lease], { skipLocked: false })
    if (locked === undefined) return null
    const { operation, now } = locked
    const answers = answered.map((one) => recordOf(deps, one, now))
    await persistTransitions(tx, deps.vault, { leases: [held.lease], answers })
    await redactRecorded(
      tx,
      answers.flatMap((answer) => newSecrets(answer) ?? []),
    )
    const part = async () => {
      const calls = (await readCalls(tx, deps.vault, operation.operation_id)).map(callOf)
      const known = { ready, operation, answered: [], calls }
      const steps = await decideAll(deps, tx, [known], { ...options, mayRecall: false })
      return { steps, written: await persistWideDecisions(tx, deps.vault, steps) }
    }
    const decided = await guarded(tx, deps, operation.operation_id, part)
    if (decided !== null) return { ...decided, isRead: true }
    return { ...(await pause(deps, tx, ready, operation, options)), isRead: false }
  })
  if (done === null) return { kind: 'lost' }
  const advanced = conclude(done.steps, done.written).get(ready)
  if (advanced === undefined) throw new Error('an attempt could not be begun')
  if (!done.isRead) held.calls = null
  return advanced
}

/** Whether the operation may change more than what is its own in this step: then it goes with others of that kind. */
export function isWide({ held, answered, isInFlight }: Ready): boolean {
  const { operation, plan, calls, unread } = held
  if (unread !== null) return false
  if (mayHaveRecorded(held, answered)) return true
  if (isInFlight) return false
  if (operation.phase !== 'AFTER_RESOURCES' && plan.resources.some(({ action }) => action === 'DETACH'))
    return true
  if (operation.phase !== 'AFTER_RESOURCES' && plan.plugins.length > 0) return false
  const writes = [...(calls ?? []), ...answered.map(({ judgement }) => judgement)].map((one) => one.writes)
  return calls === null || mayChangeConfiguration(operation, writes)
}

/** Whether a plugin has written something as sensitive that may stand in what was told before. */
function mayHaveRecorded({ calls }: LeasedOperation, answered: readonly CompletedAttempt[]): boolean {
  if (!answered.some(({ judgement }) => sensitiveIn(judgement.writes).length > 0)) return false
  return calls === null || calls.reduce((sum, { attempts }) => sum + attempts, 0) > answered.length
}

interface Known {
  ready: Ready
  operation: LeasedOperation['operation']
  /** To be recorded with what is decided. */
  answered: readonly CompletedAttempt[]
  calls: readonly Call[]
}

/** What is known of an operation without asking; null where it is to be read. */
function knownOf(ready: Ready): Known | null {
  const { held, answered } = ready
  return held.calls === null ? null : { ready, operation: held.operation, answered, calls: held.calls }
}

interface Step extends LeasedDecision {
  ready: Ready
}

function stepOf(ready: Ready, answers: readonly RecordedAttempt[], decision: Decision): Step {
  return { ready, lease: ready.held.lease, answers, decision, nextPlugin: nextPluginAfter(decision) }
}

async function decideAll(
  deps: RuntimeDeps,
  db: Db,
  known: readonly Known[],
  options: AdvanceOptions & RecallOptions,
): Promise<Step[]> {
  const facts = await readSharedInput(
    db,
    known.map(({ ready, calls, answered }) => ({
      plan: ready.held.plan,
      calls: calls.filter(
        (call) => !answered.some((one) => isOf(one, call) && one.judgement.disposition === 'done'),
      ),
    })),
    options,
  )
  return known.flatMap((one): Step[] => {
    const { ready, operation } = one
    const { plan } = ready.held
    const answers = one.answered.map((answered) => recordOf(deps, answered, facts.now))
    const secrets = answers.flatMap((answer) => newSecrets(answer)?.secrets ?? [])
    const calls = one.calls.map((call) => withoutSecrets(withAnswer(call, answers), secrets))
    const decision = ready.isInFlight
      ? awaitCalls({ operation, plan, calls }, options)
      : decideOrRest(deps, ready, { operation, plan, calls, facts, ...options })
    // a call that was answered and is made again at once changes twice, which one statement cannot do
    const changedTwice = [...decision.attempts, ...decision.failedCalls].some((call) =>
      answers.some(({ key }) => isOf(key, call)),
    )
    return changedTwice ? [] : [stepOf(ready, answers, decision)]
  })
}

function recordOf(deps: RuntimeDeps, answered: CompletedAttempt, now: string): RecordedAttempt {
  const { judgement, pluginId, runAttempt, limits, isGivenBack } = answered
  const after = afterAttempt({
    judgement,
    pluginId,
    runAttempts: runAttempt,
    limits: isGivenBack ? { ...limits, maxAttempts: Infinity } : limits,
    fraction: deps.random.fraction(),
  })
  const nextAttemptAt = after.waitMs === null ? null : new Date(Date.parse(now) + after.waitMs).toISOString()
  return { key: answered, judgement, after, nextAttemptAt }
}

/** The call as recordAttempts leaves it. */
function withAnswer(call: Call, answers: readonly RecordedAttempt[]): Call {
  const answer = answers.find(({ key }) => isOf(key, call))
  if (answer === undefined) return call
  const { after, judgement, nextAttemptAt } = answer
  const { endedWell, failed, failure } = after
  return { ...call, endedWell, failed, failure, nextAttemptAt, writes: endedWell ? judgement.writes : null }
}

/** What it told of them before they were known to be sensitive must not become the failure of the operation. */
function withoutSecrets(call: Call, secrets: readonly JsonValue[]): Call {
  return secrets.length === 0 ? call : { ...call, failure: maskFailure(call.failure, secrets) }
}

type InOperation = Pick<Call, 'stage' | 'pluginId'>

function isOf(one: InOperation, other: InOperation): boolean {
  return one.stage === other.stage && one.pluginId === other.pluginId
}

type Standing = Pick<Decision, 'operation' | 'plan' | 'calls'>

function awaitCalls(standing: Standing, { leaseMs }: AdvanceOptions): Decision {
  const move = { kind: 'keep', phase: standing.operation.phase, leaseMs } as const
  return { ...standing, move, ledger: null, failedCalls: [], attempts: [], dueInMs: null }
}

/** What comes next for one operation. Where that cannot be said it rests, and the others go on. */
function decideOrRest(
  deps: RuntimeDeps,
  { permits, held }: Ready,
  about: AdvanceOptions & Standing & { facts: SharedInput },
): Decision {
  const { operation, plan, facts } = about
  try {
    if (held.unread !== null) throw held.unread
    const decision = decide({ ...about, ...facts })
    const hasRoom = permits.keep(decision.attempts.map(({ pluginId }) => pluginId))
    return hasRoom ? decision : deferForCapacity(decision)
  } catch (error) {
    deps.log.error('an operation cannot go on', { operationId: operation.operation_id }, error)
    return restAfterError(operation, plan)
  }
}

/** After the commit: what is known of the operations now, and what is to be done. */
function conclude(steps: readonly Step[], { moved, begun }: PersistedTransitions): Map<Ready, Advanced> {
  const advanced = new Map<Ready, Advanced>()
  for (const { ready, lease, decision, nextPlugin } of steps) {
    const { attempts, calls, operation, dueInMs, move } = decision
    const isDone = moved.has(lease.operationId) && (begun.get(lease.operationId) ?? 0) === attempts.length
    if (!isDone) continue
    ready.held.operation = { ...operation, phase: phaseAfter(decision), next_plugin: nextPlugin }
    ready.held.calls = calls
    if (ready.isInFlight) advanced.set(ready, { kind: 'in-flight' })
    else if (attempts.length > 0) advanced.set(ready, { kind: 'call', calls: attempts })
    else advanced.set(ready, { kind: 'let-go', dueInMs, state: move.kind })
  }
  return advanced
}

/**
 * Lets go of an operation that cannot go on; but not while calls of it are under way: another worker would take it on as if
 * there were none.
 */
async function pause(
  deps: RuntimeDeps,
  tx: Tx,
  ready: Ready,
  operation: LeasedOperation['operation'],
  options: AdvanceOptions,
) {
  const { plan } = ready.held
  const decision = ready.isInFlight
    ? awaitCalls({ operation, plan, calls: [] }, options)
    : restAfterError(operation, plan)
  const steps = [stepOf(ready, [], decision)]
  return { steps, written: await persistDecisions(tx, deps.vault, steps) }
}

/** Those whose scopes are locked then, or need no lock. */
async function lockScopesOf(
  tx: Tx,
  batch: readonly Ready[],
  locking: { skipLocked: boolean },
): Promise<Ready[]> {
  const scopeOf = ({ held }: Ready): number => held.operation.scope_id
  const locked = await lockScopes(tx, [...new Set(batch.filter(isWide).map(scopeOf))], locking)
  return batch.filter((ready) => !isWide(ready) || locked.has(scopeOf(ready)))
}

function leasesOf(batch: readonly Ready[]) {
  return batch.map(({ held }) => held.lease)
}

/** Runs a part of the transaction so that its failure undoes that part only. Null when it failed. */
async function guarded<Result>(
  tx: Tx,
  deps: RuntimeDeps,
  operationId: string,
  part: () => Promise<Result>,
): Promise<Result | null> {
  await sql`savepoint part`.execute(tx)
  try {
    return await part()
  } catch (error) {
    if (isPgError(error, PG.serializationFailure) || isPgError(error, PG.deadlockDetected)) throw error
    await sql`rollback to savepoint part`.execute(tx)
    deps.log.error('an operation cannot go on', { operationId }, error)
    return null
  }
}
