import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'

/** A field of a response that differs from the request. Values are JSON; `…` stands for one that is not shown. */
export interface FieldDifference {
  field: string
  expected: string
  received: string
}

/** The differing fields that the record of an invalid response names; empty for any other response. */
export function differencesIn(response: JsonValue | undefined): FieldDifference[] {
  if (!isJsonObject(response) || !isJsonObject(response['differs'])) return []
  const { field, expected = null, received = null } = response['differs']
  return typeof field === 'string' ? compare(field, expected, received) : []
}

function compare(field: string, expected: JsonValue, received: JsonValue): FieldDifference[] {
  if (deepEqual(expected, received)) return []
  if (isJsonObject(expected) && isJsonObject(received)) {
    return Object.keys(expected).flatMap((name) =>
      compare(`${field}.${name}`, expected[name] ?? null, received[name] ?? null),
    )
  }
  return [{ field, expected: textOf(expected), received: textOf(received) }]
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))
