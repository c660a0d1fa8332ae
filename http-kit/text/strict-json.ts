import type { JsonValue } from '#contract/json-schema/json.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import type { StrictJsonLimits } from '#contract/protocol/limits.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses the bytes of a body: UTF-8, then as `parseStrictJson`.
 *
 * @throws StrictJsonError
 */
export function readStrictJson(bytes: Uint8Array, limits: Partial<StrictJsonLimits> = {}): JsonValue {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new StrictJsonError({ reason: 'notUtf8' }, '', { from: 0, to: 0, line: 1, column: 1 })
  }
  return parseStrictJson(text, limits)
}
