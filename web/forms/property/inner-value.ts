import { deepEqual, isJsonObject, pointerTo } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { checkValue } from '#contract/json-schema/json-schema.ts'
import { choicesOf, innerKind } from './control-kind.ts'
import {
  constantsOf,
  entriesOf,
  itemsOf,
  membersOf,
  offersEntries,
  variantByConstants,
  variantsOf,
  withoutNull,
} from './schema-parts.ts'

/** Whether the control of a schema is one for numbers, also beside `null`. */
export function takesNumber(schema: JsonObject): boolean {
  const other = withoutNull(schema)
  return innerKind(other ?? schema) === 'number'
}

/** The value that a new item, member or variant starts with. */
export function firstValue(schema: JsonObject): JsonValue {
  const { default: standard, minimum, const: only } = schema
  if (standard !== undefined) return standard
  if (only !== undefined) return only
  switch (innerKind(schema)) {
    case 'switch':
      return false
    case 'choice':
      return choicesOf(schema)?.[0]?.value ?? ''
    case 'number':
      return typeof minimum === 'number' ? minimum : 0
    case 'list':
      return []
    case 'object':
      return firstMembers(schema)
    case 'map':
      return {}
    case 'variants':
      return firstValue(variantsOf(schema)?.[0] ?? {})
    case 'nullable':
    case 'json':
      return null
    default:
      return ''
  }
}

function firstMembers(schema: JsonObject): JsonObject {
  const members = membersOf(schema) ?? []
  const given = members.flatMap(({ name, schema: member }) =>
    member['default'] === undefined ? [] : [[name, member['default']]],
  )
  return { ...Object.fromEntries(given), ...constantsOf(members) }
}

/** Whether the control of a schema can show a value. Otherwise the value is edited as JSON, so that nothing is lost. */
export function fitsControl(schema: JsonObject, value: JsonValue | undefined): boolean {
  if (value === undefined) return true
  switch (innerKind(schema)) {
    // each of their parts has a control of its own
    case 'list':
      return Array.isArray(value)
    case 'object':
    case 'map':
      return isJsonObject(value)
    case 'nullable':
      return value === null || fitsControl(withoutNull(schema) ?? {}, value)
    case 'variants':
      return shownVariant(variantsOf(schema) ?? [], value) !== -1
    default:
      return fitsControls(schema, value)
  }
}

/** Whether the controls of a schema, at any depth, are those for a value: of several variants, the one that it has. */
export function fitsControls(schema: JsonObject, value: JsonValue | undefined): boolean {
  if (value === undefined) return true
  if (schema['const'] !== undefined) return deepEqual(schema['const'], value)
  switch (innerKind(schema)) {
    case 'switch':
      return typeof value === 'boolean'
    case 'number':
      // an item of a list without a value is an empty text
      return typeof value === 'number' || value === ''
    case 'list': {
      const items = itemsOf(schema)
      return Array.isArray(value) && items !== null && value.every((item) => fitsControls(items, item))
    }
    case 'object': {
      const members = membersOf(schema) ?? []
      const others = entriesOf(schema)
      return (
        isJsonObject(value) &&
        members.every((member) => fitsControls(member.schema, value[member.name])) &&
        Object.keys(value).every(
          (name) =>
            members.some((member) => member.name === name) ||
            (offersEntries(schema) && others !== null && fitsControls(others, value[name])),
        )
      )
    }
    case 'map': {
      const values = entriesOf(schema) ?? {}
      return isJsonObject(value) && Object.values(value).every((item) => fitsControls(values, item))
    }
    case 'variants': {
      const variants = variantsOf(schema) ?? []
      const variant = variants[shownVariant(variants, value)]
      return variant !== undefined && fitsControls(variant, value)
    }
    case 'nullable':
      return value === null || fitsControls(withoutNull(schema) ?? {}, value)
    case 'json':
      return true
    default:
      return typeof value === 'string'
  }
}

/** Which variant a value has: the one whose constants it has, or the first that it satisfies; -1 for none. */
export function variantOf(variants: readonly JsonObject[], value: JsonValue | undefined): number {
  if (value === undefined) return -1
  const byConstants = variantByConstants(variants, value)
  return byConstants === -1
    ? variants.findIndex((variant) => checkValue(variant, value).length === 0)
    : byConstants
}

/** The variant to show for a value: the one that it has, or the first with the controls for it; -1 for none. */
export function shownVariant(variants: readonly JsonObject[], value: JsonValue | undefined): number {
  const found = variantOf(variants, value)
  if (found !== -1 || value === undefined) return found
  const fitting = variants.findIndex((variant) => fitsControls(variant, value))
  if (fitting !== -1) return fitting
  return variants.findIndex((variant) => variant['const'] === undefined && fitsControl(variant, value))
}

/** The pointers to the problems in a value. */
export const problemPointers = (schema: JsonObject, value: JsonValue | undefined): readonly string[] =>
  value === undefined ? [] : checkValue(schema, value).map(({ path }) => path)

/** Those of them inside one member or item, as pointers into it. */
export function pointersInside(pointers: readonly string[], segment: string | number): readonly string[] {
  const start = pointerTo(segment)
  return pointers.flatMap((pointer) =>
    pointer === start || pointer.startsWith(`${start}/`) ? [pointer.slice(start.length)] : [],
  )
}
