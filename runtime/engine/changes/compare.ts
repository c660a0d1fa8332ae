import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { PlannedChange } from '../../model/plan.ts'

/** Locator → property → value. */
export type PropertyMap = ReadonlyMap<string, ReadonlyMap<string, TypedValue>>

/**
 * The actual changes (docs/protocol.md#what-counts-as-a-change), in the given order of locators and properties.
 *
 * @param isBlind whether a value that is given for this property counts as a change without being compared.
 */
export function compareChanges(
  current: PropertyMap,
  changes: Changes,
  isBlind: (locator: string, property: string, before: TypedValue | null) => boolean = () => false,
): PlannedChange[] {
  return Object.entries(changes).flatMap(([locator, properties]) =>
    Object.entries(properties).flatMap(([property, after]) => {
      const before = current.get(locator)?.get(property) ?? null
      const isChange = (after !== null && isBlind(locator, property, before)) || !isSameValue(before, after)
      return isChange ? [{ locator, property, before, after }] : []
    }),
  )
}

/** Deep equality of the values. The sensitive flag of a Data is not part of its value. */
export function isSameValue(a: TypedValue | null, b: TypedValue | null): boolean {
  if (a === null || b === null) return a === b
  if (a['@type'] === 'Data') return b['@type'] === 'Data' && deepEqual(a.value, b.value)
  return b['@type'] !== 'Data' && deepEqual(a, b)
}

/** The value as it is stored: a Data is flagged as sensitive exactly where its definition says so. */
export function asDefined(definition: PropertyDefinition | undefined, value: TypedValue): TypedValue {
  if (value['@type'] !== 'Data') return value
  return definition?.isSensitive === true ? wrapSensitive(value.value) : wrapData(value.value)
}
