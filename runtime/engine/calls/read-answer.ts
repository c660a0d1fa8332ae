import { VALUE_DEPTH_MAX } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { causeOfNoResponse, NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import type { NoResponse } from '#contract/protocol/call-causes.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { ANSWER_BYTES_MAX, BODY_KEYS_MAX } from '#contract/protocol/limits.ts'
import { isFromPlugin } from '#contract/protocol/messages.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { ProcessCause } from '#contract/runtime-api/operation-context.ts'
import { readStrictJson } from '#http-kit/text/strict-json.ts'
import type { AttemptResult } from '../../model/call.ts'
import { callFailure, interrupted } from './failures.ts'

type AnswerReading =
  | { kind: 'json'; json: JsonValue }
  /** Valid JSON that is not accepted: nested too deep, duplicate keys, a NUL and the like. */
  | { kind: 'unfit'; problem: string }
  /** Not JSON: truncated, or the error page of a proxy. */
  | { kind: 'not-json' }

/** Levels around a business value: envelope, data, resources, resource, property and Data. */
const WRAPPERS = 6

const LIMITS = {
  maxDepth: WRAPPERS + VALUE_DEPTH_MAX,
  maxKeys: BODY_KEYS_MAX,
  maxStringBytes: ANSWER_BYTES_MAX,
}

/** Parses the body of a 200 response, with limits that make the database and browsers read the same JSON. */
export function readAnswer(body: Uint8Array): AnswerReading {
  try {
    return { kind: 'json', json: readStrictJson(body, LIMITS) }
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    // without the path, whose keys come from the plugin
    return isJson(body) ? { kind: 'unfit', problem: error.messageWithoutPath } : { kind: 'not-json' }
  }
}

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
    return true
  } catch {
    return false
  }
}

/** The failure of a call without a response after at most `timeoutMs`. It names no host and no address. */
export function describeNoResponse(pluginId: string, reason: NoResponse, timeoutMs: number): Failure {
  const { code, reason: message } = causeOfNoResponse(reason)
  const values = { plugin: pluginId }
  const described =
    message === 'callTimeout'
      ? platformMessage(message, { ...values, seconds: timeoutMs / 1000 })
      : platformMessage(message, values)
  return callFailure(pluginId, code, described, true)
}

/** Whether the plugin may have acted on an attempt with this result although it did not return a definite one. */
export function isResultUnknown({ finished, outcome, failed, reason }: AttemptResult): boolean {
  if (!finished) return true
  if (outcome !== null) return outcome === 'UNKNOWN'
  if (!failed || isFromPlugin(reason === null ? {} : { parameters: { reason } })) return false
  return reason === null || !NOT_RECEIVED.has(reason)
}

/**
 * The failure of the first of these attempts whose result is unknown; null if there is none.
 *
 * @param results Attempts of one call, the latest first.
 */
export function unknownResultOf(
  pluginId: string,
  results: readonly (AttemptResult & { failure: Failure | null; lost_by: ProcessCause | null })[],
): Failure | null {
  const unknown = results.find(isResultUnknown)
  return unknown === undefined ? null : (unknown.failure ?? interrupted(pluginId, unknown.lost_by))
}
