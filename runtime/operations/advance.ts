import { sql } from 'kysely'
import { inTransaction, isPgError, PG } from '#database/transaction.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
import type { CallLimits } from '../plugins/call-limits.ts'
import type { Judgement } from '../plugins/judge.ts'
import { lockHeld } from '../store/operations/lock-held.ts'
import type { Lease } from '../store/operations/lease.ts'
import { lockScopeOf } from '../store/operations/lock-scope-of.ts'
import { moveHeld } from '../store/operations/move-held.ts'
import type { Move } from '../store/operations/move-held.ts'
import { readCalls } from '../store/operations/read-calls.ts'
import { recordAttempt } from '../store/operations/record-attempt.ts'
import type { AttemptKey } from '../store/operations/record-attempt.ts'
import type { Tx, World } from '../world.ts'
import { afterAttempt } from './after-attempt.ts'
import { applyResources } from './apply-resources.ts'
import { callOf } from './call.ts'
import { nextStep } from './next-step.ts'
import type { FrozenPlan } from './plan.ts'
import { prepareCalls } from './prepare-calls.ts'
import type { PreparedCall } from './prepare-calls.ts'
import { settle } from './settle.ts'
import type { OperationRow } from './view.ts'

/** An attempt whose answer was judged and is to be recorded. */
export interface Answered extends AttemptKey {
  judgement: Judgement
  /** Attempts of the current run, this one included. */
  runAttempt: number
  limits: CallLimits
  /** The runtime itself broke the call off, because it stops: this ends no run. */
  isGivenBack: boolean
}

export interface Held {
  lease: Lease
  plan: FrozenPlan
  /** As last seen; the row in the database counts. */
  operation: OperationRow
}

export interface AdvanceOptions {
  leaseMs: number
  answered: readonly Answered[]
  /** Calls of the operation are still under way: then answers are recorded and nothing is decided. */
  isInFlight: boolean
  /** The worker stops: no further call is made, the operation is given back. */
  isStopping: boolean
  /** Takes the worker's room for a call of each of these plugins, or says that there is none. */
  reserve(pluginIds: readonly string[]): boolean
}

export type Advanced =
  /** The worker does not hold the operation any more; nothing was changed. */
  | { kind: 'lost' }
  | { kind: 'in-flight' }
  | { kind: 'call'; phase: Phase; calls: PreparedCall[] }
  /** Done for now; due again after so many milliseconds, or null when it waits for nothing. */
  | { kind: 'let-go'; dueInMs: number | null; state: Move['kind'] }

/** How long an operation rests whose plugin is called by too many others at this moment. */
const CROWDED_MS = 250
/** How long an operation rests after an error of the runtime's own. */
const TROUBLE_MS = 5_000

/**
 * Takes one operation from one set of answers to the next set of calls, in one transaction: records the answers, decides
 * with nextStep, applies resources or settles the success, and records the attempts that come next. So all that was
 * answered and decided is durable before anything else is done, and a worker that lost its lease changes nothing.
 */
export function advance(world: World, held: Held, options: AdvanceOptions): Promise<Advanced> {
  return inTransaction(world.db, async (tx): Promise<Advanced> => {
    // a success changes the scope, whose lock comes before all others
    const mayEnd = held.operation.phase === 'AFTER_RESOURCES' || held.plan.plugins.length === 0
    if (mayEnd && !options.isInFlight) await lockScopeOf(tx, held.operation.scope_id)
    const locked = await lockHeld(tx, held.lease)
    if (locked === null) return { kind: 'lost' }

    const before = locked.operation
    for (const answered of options.answered) await record(tx, world, answered)
    if (options.isInFlight) {
      await moveHeld(tx, held.lease, { kind: 'keep', phase: before.phase, leaseMs: options.leaseMs })
      return { kind: 'in-flight' }
    }

    const deciding = { held, options, operation: before, now: locked.now }
    const decided =
      (await guarded(tx, world, before, () => decide(tx, deciding))) ?? restAfterTrouble(before, locked.now)
    await moveHeld(tx, held.lease, decided.move)
    return decided.advanced
  })
}

async function record(tx: Tx, world: World, answered: Answered): Promise<void> {
  const { judgement, pluginId, runAttempt, limits, isGivenBack } = answered
  const after = afterAttempt({
    judgement,
    pluginId,
    runAttempts: runAttempt,
    limits: isGivenBack ? { ...limits, maxAttempts: Infinity } : limits,
    fraction: world.random.fraction(),
  })
  await recordAttempt(tx, answered, judgement, after)
}

interface Deciding {
  held: Held
  options: AdvanceOptions
  operation: OperationRow
  now: string
}

interface Decided {
  move: Move
  advanced: Advanced
}

/** Steps on until there is something to wait for: calls, a time, or a person. */
async function decide(tx: Tx, { held, options, operation, now }: Deciding): Promise<Decided> {
  const { plan } = held
  let { phase } = operation
  let calls = (await readCalls(tx, operation.operation_id)).map(callOf)
  for (;;) {
    const step = nextStep({ operationType: operation.operation_type, phase, calls, now })
    switch (step.kind) {
      case 'apply-resources':
        await applyResources(tx, { operation, plan, calls })
        phase = 'AFTER_RESOURCES'
        break
      case 'succeed':
        await settle(tx, { operation, plan, calls })
        return letGo({ kind: 'succeed' }, null)
      case 'fail':
        return letGo({ kind: 'fail', phase, failure: step.failure }, null)
      case 'wait':
        return letGo({ kind: 'wait', phase, until: step.until }, millisecondsBetween(now, step.until))
      case 'call': {
        if (options.isStopping) return letGo({ kind: 'give-back', phase, afterMs: 0 }, 0)
        if (!options.reserve(step.pluginIds))
          return letGo({ kind: 'give-back', phase, afterMs: CROWDED_MS }, CROWDED_MS)
        const prepared = await prepareCalls(tx, { held, operation, calls, step })
        // a plugin that is not registered has failed its call: decide again
        if (prepared === null) {
          calls = (await readCalls(tx, operation.operation_id)).map(callOf)
          break
        }
        return {
          move: { kind: 'keep', phase, leaseMs: options.leaseMs },
          advanced: { kind: 'call', phase, calls: prepared },
        }
      }
    }
  }
}

function letGo(move: Move, dueInMs: number | null): Decided {
  return { move, advanced: { kind: 'let-go', dueInMs, state: move.kind } }
}

/**
 * Runs a part of the transaction so that its failure undoes that part only: the answers recorded before stay, and no
 * plugin is asked again because of a trouble of ours. Null when it failed.
 */
async function guarded<Result>(
  tx: Tx,
  world: World,
  operation: OperationRow,
  part: () => Promise<Result>,
): Promise<Result | null> {
  await sql`savepoint part`.execute(tx)
  try {
    return await part()
  } catch (error) {
    if (isPgError(error, PG.serializationFailure) || isPgError(error, PG.deadlockDetected)) throw error
    await sql`rollback to savepoint part`.execute(tx)
    world.log.error('an operation cannot go on', { operationId: operation.operation_id }, error)
    return null
  }
}

function restAfterTrouble({ phase }: OperationRow, now: string): Decided {
  const until = new Date(Date.parse(now) + TROUBLE_MS).toISOString()
  return letGo({ kind: 'wait', phase, until }, TROUBLE_MS)
}

function millisecondsBetween(from: string, until: string): number {
  return Math.max(0, Date.parse(until) - Date.parse(from))
}
