import type { JsonValue } from '#contract/json-schema/json.ts'
import { recordLateAnswer } from '../store/operations/attempts.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Advancer } from './advancer.ts'
import type { Contact } from '../engine/steps/breaker.ts'
import type { LeasedOperation } from './acquire-operations.ts'
import type { Leases } from './leases.ts'
import { answeredHere, sendCall, unsent } from './send-call.ts'
import { Permits } from './bulkhead.ts'
import type { Bulkhead } from './bulkhead.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import { maskAnswer, sensitiveIn } from '../engine/calls/sensitive-values.ts'
import type { WorkerCounters } from '../model/worker-status.ts'
import type { Advanced, Released } from './decide-batch.ts'
import type { CompletedAttempt } from '../model/call.ts'

/** How long a started attempt waits for a permit. */
const PERMIT_WAIT_MS = 250

/** The pauses between the attempts to record a late response: the database may be unavailable, or accept no writes, for a while. */
const LATE_PAUSES_MS = [1_000, 5_000, 15_000, 30_000, 60_000, 60_000, 60_000, 60_000, 60_000, 0]

/** What the operations of one worker share. */
export interface WorkerContext {
  deps: RuntimeDeps
  advancer: Advancer
  leases: Leases
  bulkhead: Bulkhead
  counters: WorkerCounters
  /** Aborted when the worker stops: no further call is made. */
  stopping: AbortSignal
  /** Aborted when the worker stops waiting for calls in flight. */
  abandon: AbortSignal
}

/**
 * Runs one leased operation until it is released or its lease is lost: advance it, send the calls, await one of them,
 * advance again. No transaction is open during a plugin call. Returns how it was released, or null if the lease was
 * lost.
 */
export async function runOperation(
  context: WorkerContext,
  leased: LeasedOperation,
): Promise<Released | null> {
  const { lease } = leased
  const permits = new Permits(context.bulkhead)
  const inFlight = new Map<string, Promise<void>>()
  const completed: CompletedAttempt[] = []
  /** Sensitive values that plugins wrote since this worker leased the operation. */
  const secrets: JsonValue[] = []
  let answered: CompletedAttempt[] = []
  const endLost = async (): Promise<null> => {
    await Promise.all(inFlight.values())
    await recordLate(context, withoutSecrets([...answered, ...completed], secrets))
    return null
  }
  try {
    let heldSince = context.deps.clock.monotonic()
    let advanced = await begin(context, leased, permits)
    for (;;) {
      switch (advanced.kind) {
        case 'lost':
          context.counters.leasesLost++
          context.deps.log.warn('the lease of an operation was lost', { operationId: lease.operationId })
          return await endLost()
        case 'released':
          return advanced
        case 'in-flight':
          break
        case 'call':
          // the process may have been suspended since the commit, and another worker may have leased the operation
          if (!context.leases.mayWork(lease)) return await endLost()
          permits.begin()
          for (const call of advanced.calls) {
            if (call.registration.retired) {
              completed.push(answeredHere(call))
              continue
            }
            const sending = sendTracked(context, call, heldSince).then((attempt) => {
              permits.end(call.pluginId)
              inFlight.delete(call.pluginId)
              secrets.push(...sensitiveIn(attempt.judgement.writes))
              completed.push(attempt)
            })
            inFlight.set(call.pluginId, sending)
          }
      }
      if (completed.length === 0) await Promise.race(inFlight.values())
      answered = withoutSecrets(completed.splice(0), secrets)
      advanced = await context.advancer.advance({ leased, answered, isInFlight: inFlight.size > 0, permits })
      heldSince = context.deps.clock.monotonic()
    }
  } finally {
    permits.leave()
  }
}

/**
 * Sends the attempts that the lease statement started, or else advances the operation. The lease request counted on
 * permits that other operations may have taken since; the wait for them is short, because the registration of the
 * plugin may change meanwhile.
 */
async function begin(context: WorkerContext, leased: LeasedOperation, permits: Permits): Promise<Advanced> {
  const { begun, unmade } = leased
  const hasPermits = begun.length > 0 && (await waitForPermits(context, begun, permits))
  if (hasPermits) return { kind: 'call', calls: begun }
  const answered = [...unmade, ...begun.map(unsent)]
  return context.advancer.advance({ leased, answered, isInFlight: false, permits })
}

async function waitForPermits(
  { deps, bulkhead, stopping }: WorkerContext,
  calls: readonly PreparedCall[],
  permits: Permits,
): Promise<boolean> {
  const keep = (): boolean => permits.keep(calls.map(({ pluginId }) => pluginId))
  if (stopping.aborted) return false
  if (keep()) return true
  const timeout = new AbortController()
  const signal = AbortSignal.any([timeout.signal, stopping])
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
  timeout.abort()
  return hasPermits
}

/**
 * Masks sensitive values that plugins wrote in the responses of other plugins called at the same time: they were
 * unknown when the responses were judged. Earlier records are redacted when the writes are recorded.
 */
function withoutSecrets(
  attempts: readonly CompletedAttempt[],
  secrets: readonly JsonValue[],
): CompletedAttempt[] {
  if (secrets.length === 0) return [...attempts]
  return attempts.map(({ judgement, ...attempt }) => {
    const { failure, recorded } = judgement
    const masked = maskAnswer({ failure, response: recorded, wire: judgement.wire ?? null }, secrets)
    return {
      ...attempt,
      judgement: {
        ...judgement,
        failure: masked.failure,
        recorded: masked.response,
        ...(masked.wire !== null && { wire: masked.wire }),
      },
    }
  })
}

async function sendTracked(
  { deps, bulkhead, counters, abandon }: WorkerContext,
  call: PreparedCall,
  heldSince: number,
): Promise<CompletedAttempt> {
  counters.calls++
  const attempt = await sendCall(deps, call, { signal: abandon, heldSince })
  const { pluginId } = call
  const change = bulkhead.note(pluginId, contactOf(attempt))
  if (change === 'opened')
    deps.log.warn('a plugin does not respond and gets one call at a time', { pluginId })
  if (change === 'closed') deps.log.info('a plugin responds again', { pluginId })
  return attempt
}

function contactOf({ judgement, isGivenBack, isOwnTrouble }: CompletedAttempt): Contact {
  if (isGivenBack || isOwnTrouble) return 'nothing'
  // an UNKNOWN outcome is a response
  return judgement.isUncertain && judgement.outcome === null ? 'unanswered' : 'answered'
}

async function recordLate(
  { deps, abandon }: WorkerContext,
  attempts: readonly CompletedAttempt[],
): Promise<void> {
  for (const attempt of attempts) {
    for (const pauseMs of LATE_PAUSES_MS) {
      try {
        await recordLateAnswer(deps.db, attempt, attempt)
        break
      } catch (error) {
        deps.log.error('a late response could not be recorded', { operationId: attempt.operationId }, error)
        if (!abandon.aborted) await deps.clock.sleep(pauseMs, abandon).catch(() => {})
      }
    }
  }
}
