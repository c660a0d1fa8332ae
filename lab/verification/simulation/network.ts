import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { CallPlan, SimulatedCall } from './calls.ts'
import type { Answer, Behaviour, SimulatedPlugins } from './plugins.ts'
import type { SimulatedProcess } from './process.ts'
import type { Schedule } from './schedule.ts'
import type { Outbound, OutboundRequest, OutboundResult } from '#http-kit/outbound-result.ts'

/** What the network requests from the run, and reports to it. */
export interface CallObserver {
  /** Decides about a call that a process sends now; null if the process dies before it is sent. */
  plan(process: SimulatedProcess, request: LifecycleRequest): CallPlan | null
  onSent(call: SimulatedCall): void
  onAnswer(call: SimulatedCall, result: OutboundResult): void
}

export interface NetworkOptions extends CallObserver {
  schedule: Schedule
  random: SeededRandom
  plugins: SimulatedPlugins
}

/** The network as one process sees it: it loses, delays and duplicates calls according to the plan of each. */
export function processNetwork(options: NetworkOptions, process: SimulatedProcess): Outbound {
  return {
    request: (request) => send(options, process, request),
    probe: () => Promise.reject(new Error('the simulation has no probes')),
    stream: () => Promise.reject(new Error('the simulation has no streams')),
    close: () => Promise.resolve(),
  }
}

function send(
  options: NetworkOptions,
  process: SimulatedProcess,
  outbound: OutboundRequest,
): Promise<OutboundResult> {
  const { schedule } = options
  const { body, timeoutMs } = outbound
  if (body === null) throw new TypeError('a lifecycle call has a body')
  // the runtime's own bytes
  const request = JSON.parse(Buffer.from(body).toString('utf8')) as LifecycleRequest
  const plan = options.plan(process, request)
  if (plan === null) return new Promise(() => {})
  const call: SimulatedCall = {
    plan,
    worker: process.name,
    pluginId: request.pluginId,
    operationId: request.operation.operationId,
    operationType: request.operation.operationType,
    stage: request.stage,
    sentAt: schedule.now,
    pausesBefore: process.pauses,
    answeredAt: null,
    recordedAt: null,
    recording: null,
    wasPaused: false,
    get isWorkerKilled() {
      return process.state === 'killed'
    },
  }
  options.onSent(call)
  return new Promise((resolve) => {
    let isOver = false
    const end = (result: OutboundResult): void => {
      if (isOver) return
      isOver = true
      timer.cancel()
      process.deliver(() => {
        call.answeredAt = schedule.now
        call.wasPaused = process.pauses > call.pausesBefore
        options.onAnswer(call, result)
        resolve(result)
      })
    }
    const timer = schedule.after(timeoutMs, () => end({ kind: 'failed', reason: 'timeout' }))
    outbound.signal?.addEventListener('abort', () => end({ kind: 'failed', reason: 'aborted' }), {
      once: true,
    })
    transmit(options, { body, plan, timeoutMs, end })
  })
}

interface Transmission {
  body: Uint8Array
  plan: CallPlan
  timeoutMs: number
  end(result: OutboundResult): void
}

function transmit({ schedule, random, plugins }: NetworkOptions, call: Transmission): void {
  const { body, plan, timeoutMs, end } = call
  const latency = (): number => random.between(1, 15)
  const answer = (answered: Answer | null): void => {
    if (answered !== null) schedule.after(latency() + plan.delayMs, () => end(response(answered)))
  }
  const lose = (): void => {}
  const fail = (reason: 'refused' | 'reset') => (): void => {
    schedule.after(latency(), () => end({ kind: 'failed', reason }))
  }
  const deliver = (
    behaviour: Behaviour,
    then: (answered: Answer | null) => void,
    { afterMs = latency(), isCopy = false } = {},
  ): void => {
    const { outcome } = plan
    schedule.after(afterMs, () => then(plugins.deliver(body, { behaviour, outcome, isCopy })))
  }
  switch (plan.fault) {
    case 'none':
      return deliver('works', answer)
    case 'request lost':
      return
    case 'answer lost':
      return deliver('works', lose)
    case 'hang':
      return deliver('hangs', lose)
    case 'refused':
      return fail('refused')()
    case 'reset before effect':
      return fail('reset')()
    case 'reset after effect':
      return deliver('works', fail('reset'))
    case 'status before effect':
      schedule.after(latency(), () => end(response({ status: 503, body: 'busy' })))
      return
    case 'status after effect':
      return deliver('works', () => answer({ status: 500, body: '{"errorCode":"0"}' }))
    case 'retryable':
    case 'failure':
    case 'FAILED':
    case 'UNKNOWN':
    case 'invalid':
      return deliver(plan.fault, answer)
    case 'duplicate':
      deliver('works', answer)
      return deliver('works', lose, { afterMs: random.between(20, 8_000), isCopy: true })
    case 'late':
      // arrives after the timeout, possibly long after a retry
      return deliver('works', lose, { afterMs: timeoutMs + random.between(1, 20_000) })
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
