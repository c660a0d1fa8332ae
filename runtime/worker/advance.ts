import { inTransaction } from '#database/transaction.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { newSecrets } from '../engine/calls/sensitive-values.ts'
import { restAfterError } from '../engine/steps/decide.ts'
import type { Tx } from '../model/db.ts'
import { callOf, readCalls } from '../store/operations/calls.ts'
import { lockLeased } from '../store/operations/operations.ts'
import { lockScopes } from '../store/configuration/scopes.ts'
import { persistTransitions } from '../store/operations/persist-transitions.ts'
import type { AdvanceOptions, Advanced, Ready } from './advance-types.ts'
import { conclude } from './conclude.ts'
import { awaitCalls, decideBatch, knownOf, readUnknownBefore, recordOf, stepOf } from './decide-batch.ts'
import { inSavepoint } from './in-savepoint.ts'
import { isWide } from './is-wide.ts'
import type { LeasedOperation } from './leased-operation.ts'
import { persistDecisions, persistWideDecisions } from './persist-decisions.ts'
import { redactRecorded } from './redact-recorded.ts'

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
export async function advanceBatch(
  deps: RuntimeDeps,
  batch: readonly Ready[],
  options: AdvanceOptions,
): Promise<Map<Ready, Advanced>> {
  const known = batch.flatMap((ready) => knownOf(ready) ?? [])
  const steps = await decideBatch(deps, deps.db, known, { ...options, mayRecall: true })
  return conclude(steps, await persistDecisions(deps.db, deps.vault, steps), deps.log)
}

/** As `advanceBatch`, for operations that may also change their scope. Locks the scopes before anything else. */
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
    const unknownBefore = await readUnknownBefore(tx, answered)
    const answers = answered.map((attempt) => recordOf(deps, attempt, now, unknownBefore.get(attempt)))
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
