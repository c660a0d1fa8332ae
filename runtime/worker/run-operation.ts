import type { JsonValue } from '#contract/json-schema/json.ts'
import { maskStrings } from '#http-kit/text/scrub.ts'
import { maskFailure } from '../engine/calls/failures.ts'
import { recordLateAnswer } from '../store/operations/record-attempt.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Advancer } from './advancer.ts'
import type { Contact } from '../engine/steps/breaker.ts'
import type { LeasedOperation } from './leased-operation.ts'
import type { Leases } from './leases.ts'
import { sendCall, unsent } from './send-call.ts'
import { Permits } from './bulkhead.ts'
import type { Bulkhead } from './bulkhead.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import { sensitiveIn } from '../engine/calls/sensitive-values.ts'
import type { WorkerCounters } from '../model/worker-status.ts'
import type { Advanced, LetGo } from './advance-types.ts'
import type { CompletedAttempt } from '../model/attempt.ts'

/** How long an attempt that has begun waits for a seat. */
const PERMIT_WAIT_MS = 250

/** What one worker's operations have in common. */
export interface WorkerContext {
  deps: RuntimeDeps
  advancer: Advancer
  leases: Leases
  bulkhead: Bulkhead
  counters: WorkerCounters
  /** Aborted when the worker stops: no further call is made. */
  stopping: AbortSignal
  /** Aborted when calls under way are not waited for any longer. */
  abandon: AbortSignal
}

/**
 * Works on one claimed operation until it is let go of or lost: advance, make the calls, wait for one of them, advance.
 * No transaction is open while a plugin is called. Answers how it was let go of, or null where it was lost.
 */
export async function runOperation(context: WorkerContext, held: LeasedOperation): Promise<LetGo | null> {
  const { lease } = held
  const permits = new Permits(context.bulkhead)
  const inFlight = new Map<string, Promise<void>>()
  const completed: CompletedAttempt[] = []
  /** What plugins wrote as sensitive since this worker took the operation on. */
  const secrets: JsonValue[] = []
  let answered: CompletedAttempt[] = []
  try {
    let advanced = await begin(context, held, permits)
    for (;;) {
      switch (advanced.kind) {
        case 'lost':
          context.counters.leasesLost++
          context.deps.log.warn('the lease of an operation was lost', { operationId: lease.operationId })
          await Promise.all(inFlight.values())
          await recordLate(context, withoutSecrets([...answered, ...completed], secrets))
          return null
        case 'let-go':
          return advanced
        case 'in-flight':
          break
        case 'call':
          // between the commit and here the process may have slept; then another worker may be at it already
          if (!context.leases.mayWork(lease)) return null
          permits.begin()
          for (const call of advanced.calls) {
            const sending = sendTracked(context, call).then((answer) => {
              permits.end(call.pluginId)
              inFlight.delete(call.pluginId)
              secrets.push(...sensitiveIn(answer.judgement.writes))
              completed.push(answer)
            })
            inFlight.set(call.pluginId, sending)
          }
      }
      if (completed.length === 0) await Promise.race(inFlight.values())
      answered = withoutSecrets(completed.splice(0), secrets)
      advanced = await context.advancer.advance({ held, answered, isInFlight: inFlight.size > 0, permits })
    }
  } finally {
    permits.leave()
  }
}

/**
 * Makes what the claim has begun, or else takes the operation on. The claim counted with a seat that others may have taken
 * meanwhile: that is waited for, but not for long, as what counts of a plugin is how it is registered at the moment.
 */
async function begin(context: WorkerContext, held: LeasedOperation, permits: Permits): Promise<Advanced> {
  const { begun, unmade } = held
  const hasPermits = begun.length > 0 && (await waitForPermits(context, begun, permits))
  if (hasPermits) return { kind: 'call', calls: begun }
  const answered = [...unmade, ...begun.map(unsent)]
  return context.advancer.advance({ held, answered, isInFlight: false, permits })
}

async function waitForPermits(
  { deps, bulkhead, stopping }: WorkerContext,
  calls: readonly PreparedCall[],
  permits: Permits,
): Promise<boolean> {
  const keep = (): boolean => permits.keep(calls.map(({ pluginId }) => pluginId))
  if (stopping.aborted) return false
  if (keep()) return true
  const patience = new AbortController()
  const signal = AbortSignal.any([patience.signal, stopping])
  let isOver = false
  const over = deps.clock
    .sleep(PERMIT_WAIT_MS, signal)
    .catch(() => {})
    .then(() => {
      isOver = true
    })
  let hasPermits = false
  while (!hasPermits) {
    await Promise.race([bulkhead.freed(), over])
    if (isOver) break
    hasPermits = keep()
  }
  patience.abort()
  return hasPermits
}

/**
 * Masks in what plugins told what others wrote as sensitive that were called together with them: when it was judged, that was
 * not known. What was recorded before is masked when the writes are recorded.
 */
function withoutSecrets(
  answers: readonly CompletedAttempt[],
  secrets: readonly JsonValue[],
): CompletedAttempt[] {
  if (secrets.length === 0) return [...answers]
  return answers.map(({ judgement, ...answer }) => ({
    ...answer,
    judgement: {
      ...judgement,
      failure: maskFailure(judgement.failure, secrets),
      recorded: maskStrings(judgement.recorded, secrets),
    },
  }))
}

async function sendTracked(
  { deps, bulkhead, counters, abandon }: WorkerContext,
  call: PreparedCall,
): Promise<CompletedAttempt> {
  counters.calls++
  const answered = await sendCall(deps, call, abandon)
  const { pluginId } = call
  const change = bulkhead.note(pluginId, contactOf(answered))
  if (change === 'opened') deps.log.warn('a plugin is in trouble: one call at a time', { pluginId })
  if (change === 'closed') deps.log.info('a plugin answers again', { pluginId })
  return answered
}

function contactOf({ judgement, isGivenBack, isOwnTrouble }: CompletedAttempt): Contact {
  if (isGivenBack || isOwnTrouble) return 'nothing'
  // one that says UNKNOWN has answered
  return judgement.isUncertain && judgement.outcome === null ? 'unanswered' : 'answered'
}

async function recordLate({ deps }: WorkerContext, answers: readonly CompletedAttempt[]): Promise<void> {
  for (const answer of answers) {
    try {
      await recordLateAnswer(deps.db, answer, answer.judgement)
    } catch (error) {
      deps.log.error('a late answer could not be recorded', { operationId: answer.operationId }, error)
    }
  }
}
