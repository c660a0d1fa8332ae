import type { JsonValue } from '#contract/json-schema/json.ts'

/** The value of a JSON document; undefined where it is none (yet). */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
