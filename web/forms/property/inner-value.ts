import { isJsonObject, type JsonObject, type JsonValue } from '#contract/json-schema/json.ts'
import { checkValue } from '#contract/json-schema/json-schema.ts'
import { pointerTo } from '#contract/json-schema/pointer.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { choicesOf, innerKind, itemsOf } from './control-kind.ts'
import type { Edit } from './edit.ts'
import { constantsOf, membersOf, variantOf, variantsOf, withoutNull } from './shape.ts'

/**
 * A value inside another one, as its control takes it. A number that is still being typed is kept as its text, which
 * its schema refuses.
 */
export function controlValue(
  schema: JsonObject,
  value: JsonValue | undefined,
): { value: TypedValue | null; unfinished: string | null } {
  if (value === undefined) return { value: null, unfinished: null }
  return takesNumber(schema) && typeof value === 'string'
    ? { value: null, unfinished: value }
    : { value: { '@type': 'Data', value }, unfinished: null }
}

/** Whether the control of a schema is one for numbers, also beside `null`. */
export function takesNumber(schema: JsonObject): boolean {
  const other = withoutNull(schema)
  return innerKind(other ?? schema) === 'number'
}

/** What an edit of an inner value makes of it; undefined for no value. */
export function editedValue(edit: Edit): JsonValue | undefined {
  if (edit.kind === 'removed') return undefined
  if (edit.kind === 'unfinished') return edit.text
  return edit.value['@type'] === 'Data' ? edit.value.value : undefined
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

/** Whether the controls of a schema show all of a value. Otherwise it is edited as JSON, so that nothing is lost. */
export function fitsControls(schema: JsonObject, value: JsonValue | undefined): boolean {
  if (value === undefined) return true
  switch (innerKind(schema)) {
    case 'switch':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number' || typeof value === 'string'
    case 'list': {
      const items = itemsOf(schema)
      return Array.isArray(value) && items !== null && value.every((item) => fitsControls(items, item))
    }
    case 'object': {
      const members = membersOf(schema) ?? []
      return (
        isJsonObject(value) &&
        Object.keys(value).every((name) => members.some((member) => member.name === name)) &&
        members.every((member) => fitsControls(member.schema, value[member.name]))
      )
    }
    case 'variants': {
      const variants = variantsOf(schema) ?? []
      const variant = variants[shownVariant(variants, value)]
      return variant !== undefined && fitsVariant(variant, value)
    }
    case 'nullable':
      return value === null || fitsControls(withoutNull(schema) ?? {}, value)
    case 'json':
      return schema['const'] !== undefined
    default:
      return typeof value === 'string'
  }
}

/** The variant to show for a value: the one that it has, or the first whose controls show all of it; -1 for none. */
export function shownVariant(variants: readonly JsonObject[], value: JsonValue | undefined): number {
  const found = variantOf(variants, value)
  return found === -1 && value !== undefined
    ? variants.findIndex((variant) => fitsVariant(variant, value))
    : found
}

/** As {@link fitsControls}; a variant with one possible value has no control, so it shows only that value. */
export const fitsVariant = (variant: JsonObject, value: JsonValue | undefined): boolean =>
  variant['const'] === undefined ? fitsControls(variant, value) : problemPointers(variant, value).length === 0

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
