import type { JsonValue } from '#contract/json-schema/json.ts'
import { maskStrings } from '#http-kit/text/scrub.ts'
import { maskFailure } from '../engine/calls/failures.ts'
import { recordLateAnswer } from '../store/operations/record-attempt.ts'
import type { World } from '../deps/runtime-deps.ts'
import type { Advanced, LetGo } from './advance.ts'
import type { Advancer } from './advancer.ts'
import type { Contact } from '../engine/steps/breaker.ts'
import type { Answered, Held } from './leased-operation.ts'
import type { Leases } from './leases.ts'
import { makeCall, notMade } from './send-call.ts'
import { Seats } from './bulkhead.ts'
import type { PluginSlots } from './bulkhead.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import { sensitiveIn } from '../engine/calls/sensitive-values.ts'
import type { Tally } from '../model/worker-status.ts'

/** How long an attempt that has begun waits for a seat. */
const SEAT_MS = 250

/** What one worker's operations have in common. */
export interface Crew {
  world: World
  advancer: Advancer
  leases: Leases
  slots: PluginSlots
  tally: Tally
  /** Aborted when the worker stops: no further call is made. */
  stopping: AbortSignal
  /** Aborted when calls under way are not waited for any longer. */
  abandon: AbortSignal
}

/**
 * Works on one claimed operation until it is let go of or lost: advance, make the calls, wait for one of them, advance.
 * No transaction is open while a plugin is called. Answers how it was let go of, or null where it was lost.
 */
export async function runOperation(crew: Crew, held: Held): Promise<LetGo | null> {
  const { lease } = held
  const seats = new Seats(crew.slots)
  const flights = new Map<string, Promise<void>>()
  const landed: Answered[] = []
  /** What plugins wrote as sensitive since this worker took the operation on. */
  const secrets: JsonValue[] = []
  let answered: Answered[] = []
  try {
    let advanced = await begin(crew, held, seats)
    for (;;) {
      switch (advanced.kind) {
        case 'lost':
          crew.tally.leasesLost++
          crew.world.log.warn('the lease of an operation was lost', { operationId: lease.operationId })
          await Promise.all(flights.values())
          await recordLate(crew, withoutSecrets([...answered, ...landed], secrets))
          return null
        case 'let-go':
          return advanced
        case 'in-flight':
          break
        case 'call':
          // between the commit and here the process may have slept; then another worker may be at it already
          if (!crew.leases.mayWork(lease)) return null
          seats.begin()
          for (const call of advanced.calls) {
            const flight = fly(crew, call).then((answer) => {
              seats.end(call.pluginId)
              flights.delete(call.pluginId)
              secrets.push(...sensitiveIn(answer.judgement.writes))
              landed.push(answer)
            })
            flights.set(call.pluginId, flight)
          }
      }
      if (landed.length === 0) await Promise.race(flights.values())
      answered = withoutSecrets(landed.splice(0), secrets)
      advanced = await crew.advancer.advance({ held, answered, isInFlight: flights.size > 0, seats })
    }
  } finally {
    seats.leave()
  }
}

/**
 * Makes what the claim has begun, or else takes the operation on. The claim counted with a seat that others may have taken
 * meanwhile: that is waited for, but not for long, as what counts of a plugin is how it is registered at the moment.
 */
async function begin(crew: Crew, held: Held, seats: Seats): Promise<Advanced> {
  const { begun, unmade } = held
  const isSeated = begun.length > 0 && (await hasSeats(crew, begun, seats))
  if (isSeated) return { kind: 'call', calls: begun }
  const answered = [...unmade, ...begun.map(notMade)]
  return crew.advancer.advance({ held, answered, isInFlight: false, seats })
}

async function hasSeats(
  { world, slots, stopping }: Crew,
  calls: readonly PreparedCall[],
  seats: Seats,
): Promise<boolean> {
  const keep = (): boolean => seats.keep(calls.map(({ pluginId }) => pluginId))
  if (stopping.aborted) return false
  if (keep()) return true
  const patience = new AbortController()
  const signal = AbortSignal.any([patience.signal, stopping])
  let isOver = false
  const over = world.clock
    .sleep(SEAT_MS, signal)
    .catch(() => {})
    .then(() => {
      isOver = true
    })
  let isSeated = false
  while (!isSeated) {
    await Promise.race([slots.freed(), over])
    if (isOver) break
    isSeated = keep()
  }
  patience.abort()
  return isSeated
}

/**
 * Masks in what plugins told what others wrote as sensitive that were called together with them: when it was judged, that was
 * not known. What was recorded before is masked when the writes are recorded.
 */
function withoutSecrets(answers: readonly Answered[], secrets: readonly JsonValue[]): Answered[] {
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

async function fly({ world, slots, tally, abandon }: Crew, call: PreparedCall): Promise<Answered> {
  tally.calls++
  const answered = await makeCall(world, call, abandon)
  const { pluginId } = call
  const change = slots.note(pluginId, contactOf(answered))
  if (change === 'opened') world.log.warn('a plugin is in trouble: one call at a time', { pluginId })
  if (change === 'closed') world.log.info('a plugin answers again', { pluginId })
  return answered
}

function contactOf({ judgement, isGivenBack, isOwnTrouble }: Answered): Contact {
  if (isGivenBack || isOwnTrouble) return 'nothing'
  // one that says UNKNOWN has answered
  return judgement.isUncertain && judgement.outcome === null ? 'unanswered' : 'answered'
}

async function recordLate({ world }: Crew, answers: readonly Answered[]): Promise<void> {
  for (const answer of answers) {
    try {
      await recordLateAnswer(world.db, answer, answer.judgement)
    } catch (error) {
      world.log.error('a late answer could not be recorded', { operationId: answer.operationId }, error)
    }
  }
}
