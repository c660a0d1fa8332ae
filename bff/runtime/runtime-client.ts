import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { fillPath, isWrite, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { MessageParameters, readEnvelope } from '#contract/protocol/envelope.ts'
import { MESSAGE_MAX } from '#contract/protocol/limits.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import { failureTraits } from '#http-kit/outbound-result.ts'
import type {
  OutboundFailure,
  Outbound,
  OutboundResponse,
  OutboundResult,
} from '#http-kit/outbound-result.ts'
import { ConsoleFailure } from '../failure.ts'
import { hasUnknownNames, withoutUnknownEntries } from './unknown-entries.ts'

/** One call of the runtime, requested by the browser and validated by the BFF. */
export interface RuntimeCall {
  name: keyof RuntimeApi
  params: Record<string, string | number>
  /** In URL form; contains only parameters of the row. */
  query: URLSearchParams
  /** The body as JSON, or null. */
  body: Uint8Array | string | null
  assertion: string
  requestId: string
  idempotencyKey: string | null
  /** Aborts the call and its retries. */
  signal?: AbortSignal
}

interface RuntimeClientOptions {
  outbound: Outbound
  /** `{platform_api_base}/bundle-runtime/api` */
  baseUrl: string
  credential: string
  /** For one call with all its attempts and pauses; default 15,000. */
  budgetMs?: number
}

export type RuntimeClient = (call: RuntimeCall) => Promise<unknown>

const BUDGET_MS = 15_000
/** Before the second and the third attempt. */
const PAUSES_MS = [100, 400]
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024
/** After these statuses it is not known whether the request was executed. */
const UNCERTAIN_STATUS = new Set([502, 503, 504])

/**
 * Calls the runtime and unwraps the envelope; every problem becomes a ConsoleFailure. This is the layer that retries:
 * a read, or a write with its key, is sent up to three times within one time budget while the result is uncertain. Each
 * attempt may use the rest of the budget, so a runtime that hangs gets one request (docs/architecture.md, "Who retries").
 */
export function createRuntimeClient(options: RuntimeClientOptions): RuntimeClient {
  return async (call) => {
    const row: EndpointRow = runtimeApi[call.name]
    const pauses = !isWrite(call.name, row) || call.idempotencyKey !== null ? [...PAUSES_MS] : []
    const deadline = performance.now() + (options.budgetMs ?? BUDGET_MS)
    for (;;) {
      const result = await sendCall(options, call, deadline - performance.now())
      const pause = pauses.shift()
      const isOver = call.signal?.aborted === true || performance.now() + (pause ?? 0) >= deadline
      if (!isUncertain(result) || pause === undefined || isOver) return readResult(call.name, row, result)
      await sleep(pause)
    }
  }
}

function sendCall(
  options: RuntimeClientOptions,
  call: RuntimeCall,
  timeoutMs: number,
): Promise<OutboundResult> {
  const { method, path } = splitName(call.name)
  const query = call.query.size > 0 ? `?${call.query.toString()}` : ''
  return options.outbound.request({
    method,
    url: `${options.baseUrl}${fillPath(path, call.params)}${query}`,
    // built from scratch: of the browser's request only validated parts are forwarded
    headers: {
      authorization: `Bearer ${options.credential}`,
      'x-runtime-actor-assertion': call.assertion,
      'x-request-id': call.requestId,
      ...(call.idempotencyKey !== null && { 'idempotency-key': call.idempotencyKey }),
      ...(call.body !== null && { 'content-type': 'application/json' }),
    },
    body: typeof call.body === 'string' ? Buffer.from(call.body) : call.body,
    timeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    ...(call.signal !== undefined && { signal: call.signal }),
  })
}

function isUncertain(result: OutboundResult): boolean {
  if (result.kind === 'response') return UNCERTAIN_STATUS.has(result.status)
  return failureTraits(result.reason).isRepeatUseful
}

/** Returns the `data` of a response, or throws its failure. */
function readResult(name: EndpointName, row: EndpointRow, result: OutboundResult): unknown {
  if (result.kind === 'failed') throw failureOfTransport(result.reason, { isRead: !isWrite(name, row) })
  if (result.status !== 200) throw failureOfStatus(result.status, result)
  const reading = readEnvelope(parse(result.body))
  switch (reading.kind) {
    case 'invalid':
      throw new ConsoleFailure('UPSTREAM_INVALID')
    case 'failure':
      throw new ConsoleFailure(reading.errorCode, {
        message: reading.failure?.message,
        retryable: reading.failure?.retryable ?? false,
        errorPath: reading.failure?.errorPath,
        details: reading.failure?.details,
        parameters: reading.failure?.parameters,
      })
    case 'success': {
      const parsed = row.answer.safeParse(reading.data)
      if (parsed.success) return parsed.data
      if (isWrite(name, row) || !hasUnknownNames(reading.data, parsed.error.issues))
        throw new ConsoleFailure('UPSTREAM_INVALID')
      const known = withoutUnknownEntries(row.answer, reading.data, parsed.error.issues)
      if (known === null) throw new ConsoleFailure('UPSTREAM_INVALID', platformMessage('runtimeIsNewer'))
      return known
    }
  }
}

/**
 * The failure for a response whose status is not 200.
 *
 * @param body the body, if it was read: the runtime gives the reason why it is unavailable.
 * @param headers the runtime says when a request that it refuses is useful again.
 */
export function failureOfStatus(
  status: number,
  { body, headers = {} }: Partial<Pick<OutboundResponse, 'body' | 'headers'>> = {},
): ConsoleFailure {
  const retryAfter = /^\d{1,5}$/.exec(headers['retry-after'] ?? '')?.[0]
  if (status === 429) return new ConsoleFailure('RATE_LIMITED', { retryable: true, retryAfter })
  if (status === 413) return new ConsoleFailure('PAYLOAD_TOO_LARGE')
  if (!UNCERTAIN_STATUS.has(status)) return new ConsoleFailure('UPSTREAM_INVALID')
  const reason = Unavailable.safeParse(body === undefined ? null : parse(body))
  return reason.success
    ? new ConsoleFailure('SERVICE_UNAVAILABLE', { ...reason.data, retryable: true, retryAfter })
    : new ConsoleFailure('UPSTREAM_UNAVAILABLE', { retryable: true })
}

const Unavailable = z.object({
  code: z.literal('SERVICE_UNAVAILABLE'),
  message: z.string().min(1).max(MESSAGE_MAX),
  parameters: MessageParameters.optional().catch(undefined),
})

/** The failure for a call without a response. */
export function failureOfTransport(
  reason: OutboundFailure,
  { isRead = true }: { isRead?: boolean } = {},
): ConsoleFailure {
  if (reason === 'timeout')
    // only a write may have been carried out
    return new ConsoleFailure('UPSTREAM_TIMEOUT', {
      retryable: true,
      ...(isRead && platformMessage('readTimedOut')),
    })
  return failureTraits(reason).isRepeatUseful
    ? new ConsoleFailure('UPSTREAM_UNAVAILABLE', { retryable: true })
    : new ConsoleFailure('UPSTREAM_INVALID')
}

/**
 * Uses the platform's parser, which takes a tenth of the time of the strict one. That is safe: the runtime is a
 * trusted upstream, the size is limited above, and the data is validated against the row's schema.
 */
function parse(body: Uint8Array): unknown {
  try {
    return parseTrustedJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}
