import type { JsonValue } from '#contract/json-schema/json.ts'
import { VALUE_DEPTH_MAX } from '#contract/json-schema/limits.ts'
import { ANSWER_BYTES_MAX, BODY_KEYS_MAX } from '#contract/protocol/limits.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { readStrictJson } from '#http-kit/text/strict-json.ts'

export type AnswerReading =
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
