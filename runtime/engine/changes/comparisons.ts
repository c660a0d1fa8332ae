import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { PropertyMap } from './compare.ts'

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
