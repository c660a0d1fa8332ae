import type { JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'

/**
 * What a person did to a property: set a value, removed it, or typed text that is no value yet, such as half a number or
 * half a JSON document, which is kept as it was typed.
 */
export type Edit =
  | { kind: 'set'; value: TypedValue }
  | { kind: 'removed' }
  | { kind: 'unfinished'; text: string }

export function setData(definition: PropertyDefinition, value: JsonValue): Edit {
  const data = { '@type': 'Data' as const, value }
  return { kind: 'set', value: definition.isSensitive === true ? { ...data, isSensitive: true } : data }
}

/** The business value of a Data; undefined where there is none. */
export function dataValue(value: TypedValue | null): JsonValue | undefined {
  return value?.['@type'] === 'Data' ? value.value : undefined
}
