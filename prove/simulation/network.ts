import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Outbound, OutboundRequest, OutboundResult } from '#edge/outbound.ts'
import type { Actor } from './actor.ts'
import type { Flight, CallPlan } from './flights.ts'
import type { Answer, Mood, Plugins } from './plugins.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Schedule } from './schedule.ts'

/** What the network asks of the history around it. */
export interface NetworkHost {
  schedule: Schedule
  random: SeededRandom
  plugins: Plugins
  /** What is to become of a call that an actor sends now; null where the actor died before it was sent. */
  plan(actor: Actor, request: LifecycleRequest): CallPlan | null
  /** Told of the call and of how it ended for the actor. */
  sent(flight: Flight): void
  answered(flight: Flight, result: OutboundResult): void
}

/** The network as one process has it: it loses, delays and repeats what is sent, as the plan of each call says. */
export function actorNetwork(host: NetworkHost, actor: Actor): Outbound {
  return {
    request: (request) => call(host, actor, request),
    stream: () => Promise.reject(new Error('nothing is streamed in the simulation')),
    close: () => Promise.resolve(),
  }
}

function call(host: NetworkHost, actor: Actor, outbound: OutboundRequest): Promise<OutboundResult> {
  const { schedule, random } = host
  const body = outbound.body
  if (body === null) throw new TypeError('a lifecycle call has a body')
  // the runtime's own bytes
  const request = JSON.parse(Buffer.from(body).toString('utf8')) as LifecycleRequest
  const plan = host.plan(actor, request)
  if (plan === null) return new Promise(() => {})
  const flight: Flight = {
    plan,
    actor: actor.name,
    pluginId: request.pluginId,
    operationId: request.operation.operationId,
    operationType: request.operation.operationType,
    stage: request.stage,
    sentAt: schedule.now,
    pausesBefore: actor.pauses,
    answeredAt: null,
    recordedAt: null,
    database: null,
    wasPaused: false,
    get isActorDead() {
      return actor.state === 'dead'
    },
  }
  host.sent(flight)
  return new Promise((resolve) => {
    let isOver = false
    const end = (result: OutboundResult): void => {
      if (isOver) return
      isOver = true
      timer.cancel()
      actor.pass(() => {
        flight.answeredAt = schedule.now
        flight.wasPaused = actor.pauses > flight.pausesBefore
        host.answered(flight, result)
        resolve(result)
      })
    }
    const timer = schedule.after(outbound.timeoutMs, () => end({ kind: 'failed', reason: 'timeout' }))
    outbound.signal?.addEventListener('abort', () => end({ kind: 'failed', reason: 'aborted' }), {
      once: true,
    })
    travel(host, body, plan, {
      latency: () => random.between(1, 15),
      timeoutMs: outbound.timeoutMs,
      end,
    })
  })
}

interface Trip {
  latency(): number
  timeoutMs: number
  end(result: OutboundResult): void
}

function travel(host: NetworkHost, body: Uint8Array, plan: CallPlan, trip: Trip): void {
  const { schedule, random, plugins } = host
  const arrive = (ms: number, mood: Mood, then: (answer: Answer | null) => void, isCopy = false): void => {
    schedule.after(ms, () => then(plugins.deliver(body, { mood, chosen: plan.chosen, isCopy })))
  }
  const back = (answer: Answer | null): void => {
    if (answer !== null) schedule.after(trip.latency() + plan.slowMs, () => trip.end(response(answer)))
  }
  const nothing = (): void => {}
  const failed = (reason: 'refused' | 'reset') =>
    schedule.after(trip.latency(), () => trip.end({ kind: 'failed', reason }))
  switch (plan.fault) {
    case 'none':
      return arrive(trip.latency(), 'well', back)
    case 'request lost':
      return
    case 'answer lost':
      return arrive(trip.latency(), 'well', nothing)
    case 'hang':
      return arrive(trip.latency(), 'hang', nothing)
    case 'refused':
      failed('refused')
      return
    case 'reset before effect':
      failed('reset')
      return
    case 'reset after effect':
      return arrive(trip.latency(), 'well', () => void failed('reset'))
    case 'status before effect':
      schedule.after(trip.latency(), () => trip.end(response({ status: 503, body: 'busy' })))
      return
    case 'status after effect':
      return arrive(trip.latency(), 'well', () => back({ status: 500, body: '{"errorCode":"0"}' }))
    case 'retryable':
      return arrive(trip.latency(), 'retryable', back)
    case 'failure':
      return arrive(trip.latency(), 'failure', back)
    case 'FAILED':
      return arrive(trip.latency(), 'FAILED', back)
    case 'UNKNOWN':
      return arrive(trip.latency(), 'UNKNOWN', back)
    case 'invalid':
      return arrive(trip.latency(), 'invalid', back)
    case 'duplicate':
      arrive(trip.latency(), 'well', back)
      return arrive(random.between(20, 8_000), 'well', nothing, true)
    case 'late':
      // arrives when nobody waits for it any more, perhaps long after a repeat of it
      return arrive(trip.timeoutMs + random.between(1, 20_000), 'well', nothing)
  }
}

function response({ status, body }: Answer): OutboundResult {
  const contentType = 'application/json'
  return {
    kind: 'response',
    status,
    contentType,
    headers: { 'content-type': contentType },
    body: Buffer.from(body),
  }
}
