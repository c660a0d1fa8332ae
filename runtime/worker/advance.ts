import { sql } from 'kysely'
import type { Failure } from '#contract/runtime-api/common.ts'
import { inTransaction, isPgError, PG } from '#database/transaction.ts'
import type { Log } from '#http-kit/log.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { newSecrets, sensitiveIn } from '../engine/calls/sensitive-values.ts'
import { restAfterError, phaseAfter } from '../engine/steps/decide.ts'
import type { CompletedAttempt } from '../model/call.ts'
import type { Tx } from '../model/db.ts'
import type { OperationRow } from '../model/operation.ts'
import { lockScopes } from '../store/configuration/scopes.ts'
import { callOf, readCalls } from '../store/operations/calls.ts'
import { lockLeased } from '../store/operations/operations.ts'
import { persistTransitions } from '../store/operations/persist-transitions.ts'
import type { PersistedTransitions } from '../store/operations/persist-transitions.ts'
import type { LeasedOperation } from './acquire-operations.ts'
import { mayChangeConfiguration } from './apply-success.ts'
import { awaitCalls, decideBatch, knownOf, readRecorder, stepOf } from './decide-batch.ts'
import type { AdvanceOptions, Advanced, Ready, DecidedStep } from './decide-batch.ts'
import { persistDecisions, persistWideDecisions, redactRecorded } from './persist-decisions.ts'

// Advancing takes operations from one set of responses to the next set of calls: it records the responses, decides what comes
// next, applies resources or the success of the operation, and records the next attempts. All of this is one transaction,
// so that every response and decision is durable before anything else happens, and a worker without its lease changes
// nothing.
//
// While a worker holds the lease nobody else changes the operation, so the worker decides by its own copy; the writing
// statement verifies the lease. After any error the copy is discarded, because it is unknown what was committed, and the
// operation is read again and advanced on its own.

/**
 * Advances operations in one statement that waits for no lock. An operation missing from the result is locked by somebody
 * else, lost, or different from the worker's copy, and must be advanced on its own; after an exception all of them must.
 */
export async function advanceTogether(
  deps: RuntimeDeps,
  batch: readonly Ready[],
  options: AdvanceOptions,
): Promise<Map<Ready, Advanced>> {
  const known = batch.flatMap((ready) => knownOf(ready) ?? [])
  const steps = await decideBatch(deps, deps.db, known, { ...options, mayRecall: true })
  return conclude(steps, await persistDecisions(deps.db, deps.vault, steps), deps.log)
}

/** As `advanceTogether`, for operations that may also change their scope. Locks the scopes before anything else. */
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
      .filter(({ leased }) => isLocked.has(leased.lease.operationId))
      .flatMap((ready) => knownOf(ready) ?? [])
    const decided = await decideBatch(deps, tx, known, { ...options, mayRecall: false })
    return { steps: decided, written: await persistWideDecisions(tx, deps.vault, decided) }
  })
  return conclude(steps, written, deps.log)
}

/**
 * Advances one operation by what the database holds, and waits for locks. An error of the runtime itself rolls back
 * everything but the recorded responses, so that no plugin is called again because of it; the operation then rests for a
 * while, unless calls are still in flight.
 */
export async function advanceSingle(
  deps: RuntimeDeps,
  ready: Ready,
  options: AdvanceOptions,
): Promise<Advanced> {
  const { leased, answered } = ready
  // the worker's copy may differ from the database
  leased.calls = null
  const done = await inTransaction(deps.db, async (tx) => {
    await lockScopesOf(tx, [ready], { skipLocked: false })
    const [locked] = await lockLeased(tx, [leased.lease], { skipLocked: false })
    if (locked === undefined) return null
    const { operation, now } = locked
    const answers = answered.map(await readRecorder(deps, tx, answered, now))
    await persistTransitions(tx, deps.vault, { leases: [leased.lease], answers })
    await redactRecorded(
      tx,
      answers.flatMap((attempt) => newSecrets(attempt) ?? []),
    )
    const decided = await inSavepoint(tx, deps, operation.operation_id, async () => {
      const calls = (await readCalls(tx, deps.vault, operation.operation_id)).map(callOf)
      const known = { ready, operation, answered: [], calls }
      const steps = await decideBatch(deps, tx, [known], { ...options, mayRecall: false })
      return { steps, written: await persistWideDecisions(tx, deps.vault, steps) }
    })
    if (decided !== null) return { ...decided, isRead: true }
    return { ...(await pause(deps, tx, ready, operation, options)), isRead: false }
  })
  if (done === null) return { kind: 'lost' }
  const advanced = conclude(done.steps, done.written, deps.log).get(ready)
  if (advanced === undefined) throw new Error('an attempt could not be started')
  if (!done.isRead) leased.calls = null
  return advanced
}

/**
 * Releases an operation that cannot continue, but keeps it while calls are in flight: another worker would otherwise
 * advance it as if there were none.
 */
async function pause(
  deps: RuntimeDeps,
  tx: Tx,
  ready: Ready,
  operation: LeasedOperation['operation'],
  options: AdvanceOptions,
) {
  const { plan } = ready.leased
  const decision = ready.isInFlight
    ? awaitCalls({ operation, plan, calls: [] }, options)
    : restAfterError(operation, plan)
  const steps = [stepOf(ready, [], decision)]
  return { steps, written: await persistDecisions(tx, deps.vault, steps) }
}

/** The operations that need no scope lock or whose scope is now locked. */
async function lockScopesOf(
  tx: Tx,
  batch: readonly Ready[],
  locking: { skipLocked: boolean },
): Promise<Ready[]> {
  const scopeOf = ({ leased }: Ready): number => leased.operation.scope_id
  const locked = await lockScopes(tx, [...new Set(batch.filter(isWide).map(scopeOf))], locking)
  return batch.filter((ready) => !isWide(ready) || locked.has(scopeOf(ready)))
}

function leasesOf(batch: readonly Ready[]) {
  return batch.map(({ leased }) => leased.lease)
}

/** Updates the worker's copies after the commit, and returns what to do next with each operation that was written. */
function conclude(
  steps: readonly DecidedStep[],
  { moved, begun }: PersistedTransitions,
  log: Log,
): Map<Ready, Advanced> {
  const advanced = new Map<Ready, Advanced>()
  for (const { ready, lease, decision, nextPlugin } of steps) {
    const { attempts, calls, operation, dueInMs, move } = decision
    const isDone = moved.has(lease.operationId) && (begun.get(lease.operationId) ?? 0) === attempts.length
    if (!isDone) continue
    if (move.kind === 'fail') logFailure(log, operation, move.failure)
    ready.leased.operation = { ...operation, phase: phaseAfter(decision), next_plugin: nextPlugin }
    ready.leased.calls = calls
    if (ready.isInFlight) advanced.set(ready, { kind: 'in-flight' })
    else if (attempts.length > 0) advanced.set(ready, { kind: 'call', calls: attempts })
    else advanced.set(ready, { kind: 'released', dueInMs, state: move.kind })
  }
  return advanced
}

/** One line for each failed operation, without the message, which may contain the plugin's words. */
function logFailure(log: Log, operation: OperationRow, { errorCode, errorPath }: Failure): void {
  log.warn('operation failed', {
    operationId: operation.operation_id,
    bundleInstallId: operation.bundle_install_id,
    operationType: operation.operation_type,
    executionSequence: operation.execution_sequence,
    run: operation.run,
    phase: operation.phase,
    errorCode,
    errorPath: (errorPath ?? []).join(' > '),
  })
}

/**
 * Whether this step may change more than the operation itself. Such operations are advanced in separate batches.
 */
export function isWide({ leased, answered, isInFlight }: Ready): boolean {
  const { operation, plan, calls, unread } = leased
  if (unread !== null) return false
  if (mayHaveRecorded(leased, answered)) return true
  if (isInFlight) return false
  if (operation.phase !== 'AFTER_RESOURCES' && plan.resources.some(({ action }) => action === 'DETACH'))
    return true
  if (operation.phase !== 'AFTER_RESOURCES' && plan.plugins.length > 0) return false
  const writes = [...(calls ?? []), ...answered.map(({ judgement }) => judgement)].map((one) => one.writes)
  return calls === null || mayChangeConfiguration(operation, writes)
}

/** Whether a plugin wrote a sensitive value that an earlier recorded response may contain. */
function mayHaveRecorded({ calls }: LeasedOperation, answered: readonly CompletedAttempt[]): boolean {
  if (!answered.some(({ judgement }) => sensitiveIn(judgement.writes).length > 0)) return false
  return calls === null || calls.reduce((sum, { attempts }) => sum + attempts, 0) > answered.length
}

/** Runs a part of the transaction in a savepoint. An error rolls back this part only; the result is then null. */
async function inSavepoint<Result>(
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
    deps.log.error('an operation cannot continue', { operationId }, error)
    return null
  }
}
