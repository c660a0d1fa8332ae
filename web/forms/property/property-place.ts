import { isPropertyName, parseLocator } from '#contract/protocol/locator.ts'

/** A property of a resource. */
export type PropertyPlace = { locator: string; property: string }

/** The place that a text of a locator and a property names, with a space between them; null for any other text. */
export function placeOf(name: string): PropertyPlace | null {
  const [locator = '', property = '', ...more] = name.split(' ')
  const isPlace = parseLocator(locator) !== null && isPropertyName(property) && more.length === 0
  return isPlace ? { locator, property } : null
}

/**
 * The name of a property's form field, made of letters, digits and underscores only. react-hook-form splits names at
 * dots, brackets and quotes, and both locators and property names may contain dots.
 */
export type FieldId = string

/**
 * Separates locator and property. In an escape, a digit follows each underscore, so two in a row occur nowhere else.
 */
const SEPARATOR = '__'

export function fieldId(locator: string, property: string): FieldId {
  return `${encode(locator)}${SEPARATOR}${encode(property)}`
}

/** The property of a field; null for any other text. */
export function parseFieldId(id: FieldId): { locator: string; property: string } | null {
  const end = id.indexOf(SEPARATOR)
  if (end === -1) return null
  return { locator: decode(id.slice(0, end)), property: decode(id.slice(end + SEPARATOR.length)) }
}

/** Writes every code unit other than a letter or digit as `_` and its four hexadecimal digits. */
const encode = (text: string): string =>
  text.replace(/[^A-Za-z0-9]/g, (unit) => `_${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const decode = (text: string): string =>
  text.replace(/_([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
