import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createActorAssertions } from '#bff/runtime/actor-assertion.ts'
import type { AssertedPerson, AssertionKey } from '#bff/runtime/actor-assertion.ts'
import type { RuntimeCall } from '#bff/runtime/runtime-client.ts'
import { createApiClient } from '../api-client.ts'
import type { ApiClient, Result, RowName } from '../api-client.ts'
import type { ConsoleParts } from './console-parts.ts'
import type { Outbound } from '#http-kit/outbound-result.ts'

/** A person's browser and console in one: sends requests to any replica, and retries until one responds. */
export interface RetryingClient extends ApiClient {
  writes: readonly SentWrite[]
  /** How often writes were sent beyond the first time. */
  repeats(): number
  /** Requests, reads too, to which a replica gave no response: which, and why. */
  unanswered: readonly string[]
}

/** A write, to be compared with its effects. */
export interface SentWrite {
  name: RowName
  params: Record<string, string | number>
  body: unknown
  requestId: string
  results: Result<unknown>[]
}

export interface RetryingClientOptions {
  outbound: Outbound
  /** `…/bundle-runtime/api` of every replica. */
  bases: readonly string[]
  credential: string
  key: AssertionKey
  console: ConsoleParts
  /** Whether a completed write is sent once more, to compare the responses. */
  isSentTwice?: () => boolean
  /** Whether a load balancer would send a request to this base now; default: to each. */
  isReady?: (base: string) => boolean
  /** For one call with its retries; a paused replica accepts the request and does not respond. */
  timeoutMs?: number
}

/** Until there is a response, however often it is sent. */
const PATIENCE_MS = 240_000

/** A person who may do everything. */
export const everybody = ({ permissions }: ConsoleParts): AssertedPerson => ({
  id: 'ada',
  name: 'Ada',
  grants: [{ permissions: [...permissions], scope: null }],
})

/** Codes that do not say whether the request was executed. */
const UNANSWERED = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
])

export function createRetryingClient(options: RetryingClientOptions): RetryingClient {
  const { outbound, credential, timeoutMs = 3_000 } = options
  const { createRuntimeClient, ConsoleFailure } = options.console
  const person = everybody(options.console)
  const clients = options.bases.map((baseUrl) =>
    createRuntimeClient({ outbound, baseUrl, credential, budgetMs: timeoutMs }),
  )
  const assertion = createActorAssertions(options.key)
  /** The replica in use, until it does not respond. */
  let current = 0
  let repeats = 0
  const writes: SentWrite[] = []
  const unanswered: string[] = []
  const isReady = (index: number): boolean =>
    options.isReady?.(options.bases[index % options.bases.length] ?? '') ?? true

  const send = async (request: Omit<RuntimeCall, 'assertion'>): Promise<Result<unknown>> => {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      for (let skipped = 0; skipped < clients.length && !isReady(current); skipped++) current++
      const client = clients[current % clients.length]
      if (client === undefined) throw new RangeError('the client needs a replica')
      try {
        return {
          isDone: true,
          data: await client({
            ...request,
            assertion: await assertion({ ...person, authenticatedSeconds: 0 }),
          }),
        }
      } catch (error) {
        if (!(error instanceof ConsoleFailure)) throw error
        if (!UNANSWERED.has(error.code)) return { isDone: false, errorCode: error.code }
        if (performance.now() > deadline)
          throw new Error(`${request.name} was not answered in ${PATIENCE_MS / 1_000} s: ${error.code}`, {
            cause: error,
          })
        unanswered.push(`${request.name}: ${error.code}`)
        current++
        if (request.idempotencyKey !== null) repeats++
        await sleep(30)
      }
    }
  }

  const client = createApiClient(async (name, { params, body }, isWrite) => {
    const request = {
      name,
      params,
      query: new URLSearchParams(),
      body: body === undefined ? null : JSON.stringify(body),
      requestId: randomUUID(),
      idempotencyKey: isWrite ? randomUUID() : null,
    }
    const result = await send(request)
    if (!isWrite) return result
    const results = [result]
    writes.push({ name, params, body, requestId: request.requestId, results })
    if (options.isSentTwice?.() === true) {
      current++
      results.push(await send(request))
    }
    return result
  })
  return { ...client, writes, unanswered, repeats: () => repeats }
}
