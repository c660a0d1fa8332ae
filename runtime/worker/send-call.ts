import { createHash } from 'node:crypto'
import { textsIn } from '#contract/json-schema/json.ts'
import { ANSWER_BYTES_MAX } from '#contract/protocol/limits.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { OutboundResult, OutboundRequest } from '#http-kit/outbound-result.ts'
import { readWire, wireHeaders } from '../engine/calls/wire-evidence.ts'
import type { WireReading } from '../engine/calls/wire-evidence.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Signer } from '../deps/signer.ts'
import { callFailure } from '../engine/calls/failures.ts'
import { judgeAnswer } from '../engine/calls/judge.ts'
import { readAnswer } from '../engine/calls/answer.ts'
import { CREDENTIAL_START, possibleCredentialsIn } from '../engine/calls/platform-material.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import { PLATFORM_ANSWER } from '../engine/steps/retired.ts'
import type { AttemptKey, CallTiming, CompletedAttempt, Judgement } from '../model/call.ts'
import type { Db } from '../model/db.ts'
import { findIssued, hashOf } from '../store/plugins/credentials.ts'

/**
 * Makes a call whose attempt is recorded, and judges the result. `heldSince` is the monotonic time at which the worker
 * received the attempt. Never throws.
 */
export async function sendCall(
  deps: RuntimeDeps,
  call: PreparedCall,
  { signal, heldSince }: { signal: AbortSignal; heldSince: number },
): Promise<CompletedAttempt> {
  const { operationId, stage, pluginId, attempt, runAttempt, limits } = call
  const key = { operationId, stage, pluginId, attempt, runAttempt, limits }
  try {
    const sent = await send(deps, call, { signal, heldSince })
    const { result, timing } = sent
    const input = {
      ...call.judgeInput,
      ...wireOf(deps, call, sent, heldSince),
      isPlatformPayload: (payload: string) => deps.signer.isPlatformPayload(payload),
      issuedCredentials: await issuedCredentialsIn(deps.db, result),
    }
    const isGivenBack = result.kind === 'failed' && result.reason === 'aborted'
    const judgement = judgeAnswer(call.expected, result, input)
    return { ...key, judgement, timing, isGivenBack, isOwnTrouble: false }
  } catch (error) {
    deps.log.error('a plugin call could not be sent or judged', { operationId, pluginId }, error)
    return {
      ...key,
      judgement: runtimeFailure(pluginId),
      timing: null,
      isGivenBack: false,
      isOwnTrouble: true,
    }
  }
}

/**
 * The result of an attempt that was recorded but not sent: it had no effect on the plugin, and does not end the run.
 */
export function unsent(
  call: Omit<CompletedAttempt, 'judgement' | 'timing' | 'isGivenBack' | 'isOwnTrouble'>,
): CompletedAttempt {
  const { operationId, stage, pluginId, attempt, runAttempt, limits } = call
  const message = platformMessage('callDeferred', { plugin: pluginId })
  const judgement = withoutResponse(pluginId, message, { isUncertain: false })
  const key = { operationId, stage, pluginId, attempt, runAttempt, limits }
  return { ...key, judgement, timing: null, isGivenBack: true, isOwnTrouble: false }
}

/** The result of an attempt of a retired plugin: it is not sent, and the platform answers it. */
export function answeredHere(call: PreparedCall): CompletedAttempt {
  const { operationId, stage, pluginId, attempt, runAttempt, limits } = call
  const key = { operationId, stage, pluginId, attempt, runAttempt, limits }
  return { ...key, judgement: PLATFORM_ANSWER, timing: null, isGivenBack: false, isOwnTrouble: false }
}

async function send(
  deps: RuntimeDeps,
  call: PreparedCall,
  { signal, heldSince }: { signal: AbortSignal; heldSince: number },
): Promise<{ result: OutboundResult; timing: CallTiming }> {
  const elapsed = () => Math.round((deps.clock.monotonic() - heldSince) * 100) / 100
  const token = await signLifecycleToken(deps.signer, call)
  const sentMs = elapsed()
  const reached: { connected: number | null; answered: number | null } = { connected: null, answered: null }
  const result = await sendLifecycleCall(deps, {
    endpoint: call.registration.endpoint,
    timeoutMs: call.limits.timeoutMs,
    bytes: call.bytes,
    token,
    traceparent: traceparentOf(call),
    signal,
    onProgress: (point) => {
      reached[point] = elapsed()
    },
  })
  const timing = { sentMs, connectedMs: reached.connected, answeredMs: reached.answered, endedMs: elapsed() }
  return { result, timing }
}

/** What the head of the response tells, if one arrived. */
function wireOf(
  { clock }: Pick<RuntimeDeps, 'clock'>,
  { registration: { endpoint } }: PreparedCall,
  { result, timing: { connectedMs, answeredMs } }: Awaited<ReturnType<typeof send>>,
  heldSince: number,
): { wire?: WireReading } {
  if (result.headers === undefined || connectedMs === null || answeredMs === null) return {}
  const held = clock.now().getTime() - (clock.monotonic() - heldSince)
  const wire = readWire({
    headers: wireHeaders(result.headers, endpoint),
    status: result.kind === 'response' ? result.status : null,
    isRedirect: result.kind === 'failed' && result.reason === 'redirect',
    endpoint,
    connectedAt: new Date(held + connectedMs),
    answeredAt: new Date(held + answeredMs),
  })
  return { wire }
}

/** It is unknown whether the plugin received the call, so the result is uncertain. */
function runtimeFailure(pluginId: string): Judgement {
  const message = platformMessage('callRuntimeError', { plugin: pluginId })
  return withoutResponse(pluginId, message, { isUncertain: true })
}

function withoutResponse(
  pluginId: string,
  message: PlatformMessage,
  { isUncertain }: Pick<Judgement, 'isUncertain'>,
): Judgement {
  return {
    disposition: 'repeat',
    isUncertain,
    outcome: null,
    failure: callFailure(pluginId, 'PLUGIN_RESULT_UNKNOWN', message, true),
    writes: {},
    httpStatus: null,
    recorded: null,
  }
}

interface LifecycleCall {
  endpoint: string
  timeoutMs: number
  /** The frozen request. */
  bytes: Uint8Array
  /** See signLifecycleToken. */
  token: string
  /** See traceparentOf. */
  traceparent: string
  signal?: AbortSignal
  /** See OutboundRequest. */
  onProgress?: OutboundRequest['onProgress']
}

/**
 * Makes one lifecycle call. The response, or why there is none, is returned for judgeAnswer; redirects are not
 * followed. The token is sent only in this header and is never stored.
 */
function sendLifecycleCall(deps: Pick<RuntimeDeps, 'http'>, call: LifecycleCall): Promise<OutboundResult> {
  return deps.http.request({
    method: 'POST',
    url: call.endpoint,
    headers: {
      authorization: `Bearer ${call.token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      traceparent: call.traceparent,
    },
    body: call.bytes,
    timeoutMs: call.timeoutMs,
    maxResponseBytes: ANSWER_BYTES_MAX,
    ...(call.signal !== undefined && { signal: call.signal }),
    ...(call.onProgress !== undefined && { onProgress: call.onProgress }),
  })
}

/**
 * The trace context of an attempt (W3C Trace Context, version 00): the trace is the operation, so its ID is that of the
 * operation without the dashes, and nothing has to be stored to find it; the span is the attempt.
 */
export function traceparentOf({ operationId, stage, pluginId, attempt }: AttemptKey): string {
  const span = createHash('sha256')
    .update(JSON.stringify([stage, pluginId, attempt]))
    .digest('hex')
  return `00-${operationId.replaceAll('-', '')}-${span.slice(0, 16)}-01`
}

const LIFECYCLE_TOKEN_SECONDS = 300

/**
 * The token that proves to a plugin that the call comes from the platform and is meant for it
 * (docs/protocol.md#lifecycle-call).
 */
export function signLifecycleToken(
  signer: Signer,
  call: { pluginId: string; operationId: string; stage: Stage; executionSequence: number },
): Promise<string> {
  const { pluginId, operationId, stage, executionSequence } = call
  return signer.sign({ sub: operationId, stage, executionSequence }, pluginId, LIFECYCLE_TOKEN_SECONDS)
}

/** JSON escapes that can encode a character of the prefix. */
const ESCAPES = ['\\u005', '\\u006', '\\u007']
/** No legitimate response contains this many candidates. Beyond it all of them count as issued, without a query. */
const CANDIDATES_MAX = 1_000

/**
 * Finds the plugin credentials in a response that this platform issued, to any plugin. Credentials are stored as hashes,
 * so every text of the right shape is hashed and looked up. A response without such a text, which is nearly every
 * response, costs no query.
 */
export async function issuedCredentialsIn(db: Db, response: OutboundResult): Promise<ReadonlySet<string>> {
  if (response.kind !== 'response' || response.status !== 200 || !mayHoldOne(response.body))
    return NO_CREDENTIALS
  const reading = readAnswer(response.body)
  if (reading.kind !== 'json') return NO_CREDENTIALS
  const candidates = new Set(textsIn(reading.json).flatMap(possibleCredentialsIn))
  if (candidates.size === 0 || candidates.size > CANDIDATES_MAX) return candidates
  const byHash = new Map([...candidates].map((secret) => [hashOf(secret).toString('hex'), secret]))
  const issued = await findIssued(db, [...candidates].map(hashOf))
  return new Set(issued.flatMap((hash) => byHash.get(hash.toString('hex')) ?? []))
}

const NO_CREDENTIALS: ReadonlySet<string> = new Set()

/** A fast check on the raw bytes, without parsing. */
function mayHoldOne(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return [CREDENTIAL_START, ...ESCAPES].some((text) => bytes.includes(text))
}
