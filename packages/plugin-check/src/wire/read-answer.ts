import { parseTrustedJson } from '../../../../contract/protocol/strict-json.ts'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import type { Exchange } from './send.ts'

/**
 * What a response says, read as tolerantly as possible, so that a small mistake in it is found by the case about that
 * mistake and not by every case.
 */
export type Answer =
  | { kind: 'success'; outcome: string; data: JsonObject; writes: JsonObject }
  | { kind: 'failure'; errorCode: string; retryable: boolean | null; message: string }
  /** A 4xx status without an envelope: the request was refused by the transport. */
  | { kind: 'refused'; status: number }
  /** Nobody knows whether the plugin acted. */
  | { kind: 'uncertain'; why: string }

const DEPTH_MAX = 200
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function readAnswer({ response, problem }: Exchange): Answer {
  if (response === null) return { kind: 'uncertain', why: problem ?? 'no response' }
  const { status, body } = response
  if (status >= 400 && status < 500) return { kind: 'refused', status }
  const json = parseJson(body)
  // a failure envelope with a wrong status is a failure here; failure.status-200 is about the status
  const isFailure = isJsonObject(json) && typeof json['errorCode'] === 'string' && json['errorCode'] !== '0'
  if ((status < 200 || status > 299) && !isFailure) return { kind: 'uncertain', why: `HTTP status ${status}` }
  if (!isJsonObject(json)) return { kind: 'uncertain', why: 'the body is not a JSON object' }
  const { errorCode, data } = json
  if (errorCode === undefined && typeof json['outcome'] === 'string') return successOf(json)
  if (errorCode === '0' || errorCode === 0)
    return isJsonObject(data) ? successOf(data) : { kind: 'uncertain', why: 'the envelope has no data' }
  if (errorCode === undefined) return { kind: 'uncertain', why: 'the body is not an envelope' }
  const failure = isJsonObject(data) ? data : {}
  const { retryable, message } = failure
  return {
    kind: 'failure',
    errorCode: textOf(errorCode),
    retryable: typeof retryable === 'boolean' ? retryable : null,
    message: typeof message === 'string' ? message : '',
  }
}

function successOf(data: JsonObject): Answer {
  const { outcome, resources } = data
  const writes = isJsonObject(resources) ? resources : {}
  return { kind: 'success', outcome: textOf(outcome).toUpperCase(), data, writes }
}

/** What the plugin should have written as a text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '(not a text)')

/** Undefined if the bytes are not JSON in UTF-8, or nest deeper than any response may. */
export function parseJson(body: Uint8Array): unknown {
  try {
    const text = utf8.decode(body)
    return depthOf(text) > DEPTH_MAX ? undefined : parseTrustedJson(text)
  } catch {
    return undefined
  }
}

function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === '\\') at++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth)
    else if (char === ']' || char === '}') depth--
  }
  return deepest
}

const TOO_MANY_REQUESTS = 429
const DONE = new Set(['APPLIED', 'VERIFIED', 'NOT_APPLIED'])

/** Whether a call with this outcome succeeded. */
export const isDoneOutcome = (outcome: string): boolean => DONE.has(outcome)

/** The call succeeded, and a repeat must get the same response. */
export const isDone = (answer: Answer): boolean => answer.kind === 'success' && isDoneOutcome(answer.outcome)

/** The runtime would send the same call again. */
export const isRepeated = (answer: Answer): boolean =>
  answer.kind === 'uncertain' ||
  answer.kind === 'refused' ||
  (answer.kind === 'failure' && answer.retryable === true) ||
  (answer.kind === 'success' && answer.outcome === 'UNKNOWN')

/** Nothing is known yet: a refusal by the transport is a result, unless it says that there were too many requests. */
export const isUndecided = (answer: Answer): boolean =>
  isRepeated(answer) && (answer.kind !== 'refused' || answer.status === TOO_MANY_REQUESTS)

/** A failure that is not repeated. */
export const isFinalFailure = (answer: Answer): boolean =>
  (answer.kind === 'failure' && answer.retryable !== true) ||
  (answer.kind === 'success' && answer.outcome === 'FAILED')

/** One line for a report; it contains nothing that the plugin wrote except code and outcome. */
export function describeAnswer(answer: Answer): string {
  switch (answer.kind) {
    case 'success':
      return `outcome ${answer.outcome.slice(0, 40)}`
    case 'failure':
      return `failure ${answer.errorCode.slice(0, 128)} with retryable ${String(answer.retryable)}`
    case 'refused':
      return `HTTP status ${answer.status}`
    case 'uncertain':
      return `no definite response (${answer.why})`
  }
}

/** Whether this content type is that of JSON, with or without parameters. */
export const isJsonType = (type: string): boolean => /^application\/json\s*(;|$)/i.test(type)
