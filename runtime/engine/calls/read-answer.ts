import type { JsonValue } from '#contract/json-schema/json.ts'
import { VALUE_DEPTH_MAX } from '#contract/json-schema/limits.ts'
import { ANSWER_BYTES_MAX, BODY_KEYS_MAX } from '#contract/protocol/limits.ts'
import { readStrictJson, StrictJsonError } from '#http-kit/text/strict-json.ts'

export type AnswerReading =
  | { kind: 'json'; json: JsonValue }
  /** It is JSON, but none that can be taken: too deep, duplicate keys, a NUL and the like. */
  | { kind: 'unfit'; problem: string }
  /** No JSON at all: cut, or a page of a proxy between. */
  | { kind: 'not-json' }

/** Envelope, data, resources, resource, property and Data stand around a business value. */
const WRAPPERS = 6

const LIMITS = {
  maxDepth: WRAPPERS + VALUE_DEPTH_MAX,
  maxKeys: BODY_KEYS_MAX,
  maxStringBytes: ANSWER_BYTES_MAX,
}

/** The body of a 200 as JSON that a database and a browser read as we do. */
export function readAnswer(body: Uint8Array): AnswerReading {
  try {
    return { kind: 'json', json: readStrictJson(body, LIMITS) }
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    // its message tells a path, whose keys are the plugin's; only what is before it is ours
    return isJson(body)
      ? { kind: 'unfit', problem: error.message.split(' (at ', 1)[0] ?? '' }
      : { kind: 'not-json' }
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
