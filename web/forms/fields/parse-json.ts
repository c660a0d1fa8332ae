import type { JsonValue } from '#contract/json-schema/json.ts'

/** The value of a JSON document; undefined if the text is not valid JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
