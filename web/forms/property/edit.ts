import type { JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'

/**
 * A person's edit of a property: set to a value, removed, or input that is not a value yet, such as a partial number or
 * incomplete JSON, which is kept as typed. A partial number is marked, because only its control knows that it is one.
 */
export type Edit =
  | { kind: 'set'; value: TypedValue }
  | { kind: 'removed' }
  | { kind: 'unfinished'; text: string; isPartialNumber?: true }

export function setData(definition: PropertyDefinition, value: JsonValue): Edit {
  const data = { '@type': 'Data' as const, value }
  return { kind: 'set', value: definition.isSensitive === true ? { ...data, isSensitive: true } : data }
}

/** The value of a Data; undefined for anything else. */
export function dataValue(value: TypedValue | null): JsonValue | undefined {
  return value?.['@type'] === 'Data' ? value.value : undefined
}
