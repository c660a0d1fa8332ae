import { isPropertyName, parseLocator } from '#contract/protocol/locator.ts'

/** A property of a resource. */
export type PropertyPlace = { locator: string; property: string }

/** The place that a text of a locator and a property names, with a space between them; null for any other text. */
export function placeOf(name: string): PropertyPlace | null {
  const [locator = '', property = '', ...more] = name.split(' ')
  const isPlace = parseLocator(locator) !== null && isPropertyName(property) && more.length === 0
  return isPlace ? { locator, property } : null
}
