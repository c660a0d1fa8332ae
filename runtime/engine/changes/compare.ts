import { deepEqual } from '#contract/json-schema/json.ts'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { PlannedChange } from '../../model/plan.ts'

/** A property of a resource. */
export interface PropertyRef {
  locator: string
  property: string
}

/** The same for the same property. Neither part contains a space. */
export const refKey = ({ locator, property }: PropertyRef): string => `${locator} ${property}`

/** Whether a property is in a list, which is read once: a request may ask for each of thousands of properties. */
export function isAmong(list: readonly PropertyRef[]): (ref: PropertyRef) => boolean {
  const known = new Set(list.map(refKey))
  return (ref) => known.has(refKey(ref))
}

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

/**
 * A value that a person gives for a property whose saved value they may not see. Anyone who learns whether it would change
 * the property learns whether the two are equal.
 */
export interface Comparison {
  locator: string
  property: string
  before: TypedValue
  after: TypedValue
}

/** Whether people may not see this saved value: by a definition of its property, or as it is stored. */
export function isHidden(
  before: TypedValue | null,
  ...definitions: readonly (PropertyDefinition | undefined)[]
): boolean {
  if (before === null) return false
  if (before['@type'] === 'Data' && before.isSensitive === true) return true
  return definitions.some((definition) => definition?.isSensitive === true)
}

/** The given values that would be compared with hidden ones. Nothing is compared with a value that is not set. */
export function comparisonsIn(
  current: PropertyMap,
  changes: Changes,
  definitionsOf: (locator: string, property: string) => readonly (PropertyDefinition | undefined)[],
): Comparison[] {
  return Object.entries(changes).flatMap(([locator, properties]) =>
    Object.entries(properties).flatMap(([property, after]) => {
      const before = current.get(locator)?.get(property) ?? null
      if (before === null || after === null) return []
      return isHidden(before, ...definitionsOf(locator, property))
        ? [{ locator, property, before, after }]
        : []
    }),
  )
}
