import { isJsonObject, getOwn } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import {
  schemaTitle,
  definitionName,
  referencesIn,
  withDefinitions,
} from '#contract/json-schema/subschemas.ts'

/** Keywords that say nothing about a value: beside a reference, they are more specific than those at its target. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
])

/** Of a chain of references. `checkSchema` refuses circles, so that this is met only by a schema that it has not seen. */
const CHAIN_MAX = 32

/** Computes once for each object: the parts of a schema keep their identity, by which its checks are known. */
function once<Result>(compute: (schema: JsonObject) => Result): (schema: JsonObject) => Result {
  const known = new WeakMap<JsonObject, { result: Result }>()
  return (schema) => {
    const found = known.get(schema) ?? { result: compute(schema) }
    known.set(schema, found)
    return found.result
  }
}

/** The schema of a property as the forms read it: what it refers to is in its place. */
export const readSchema = once((schema: JsonObject) => resolve(withDefinitions(schema)))

/**
 * A schema inside another one, as the forms read it. If it refers to definitions, it has them beside it, so that it
 * means the same without the schema around it.
 */
function schemaInside({ $defs }: JsonObject, schema: JsonObject): JsonObject {
  return isJsonObject($defs) ? inside($defs)(schema) : schema
}

const inside = once((definitions: JsonObject) =>
  once((schema: JsonObject) =>
    referencesIn(schema).size === 0 ? schema : resolve({ ...schema, $defs: definitions }),
  ),
)

/** Unchanged if what stands beside the reference restricts its target in a way that one schema cannot say. */
function resolve(schema: JsonObject): JsonObject {
  let current = schema
  for (let step = 0; step < CHAIN_MAX; step += 1) {
    const { $ref, $defs, ...beside } = current
    if (typeof $ref !== 'string') return current
    const target: JsonValue | undefined = isJsonObject($defs)
      ? getOwn($defs, definitionName($ref) ?? '')
      : undefined
    if (target === undefined || $defs === undefined || !isJsonObject(target)) return schema
    const clashes = Object.keys(beside).some((name) => Object.hasOwn(target, name) && !ANNOTATIONS.has(name))
    if (clashes) return schema
    current = { ...target, ...beside, $defs }
  }
  return schema
}

/** A member of an object that its schema names. */
export interface Member {
  name: string
  title: string
  help: string
  schema: JsonObject
  isRequired: boolean
}

/**
 * The schema of the value where `null` is the other choice: `type: [x, 'null']`, or `anyOf` and `oneOf` with null. It
 * offers no `null`, neither as the default nor among the choices. Null for other schemas.
 */
export const withoutNull = once((schema: JsonObject): JsonObject | null => {
  const other = withoutNullType(schema)
  if (other === null) return null
  const { default: standard, enum: values, ...rest } = other
  return {
    ...rest,
    ...(standard !== undefined && standard !== null && { default: standard }),
    ...(values !== undefined && {
      enum: Array.isArray(values) ? values.filter((value) => value !== null) : values,
    }),
  }
})

function withoutNullType(schema: JsonObject): JsonObject | null {
  const { type } = schema
  if (Array.isArray(type) && type.length === 2 && type.includes('null')) {
    const other = type.find((name) => name !== 'null')
    return other === undefined ? null : { ...schema, type: other }
  }
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const choices = schema[keyword]
    if (!Array.isArray(choices)) continue
    const others = choices.filter((choice) => !isNull(choice))
    if (others.length === choices.length || others.length === 0) continue
    const { [keyword]: _, ...rest } = schema
    const [only] = others
    return others.length === 1 && isJsonObject(only)
      ? { ...schemaInside(schema, only), ...rest }
      : { ...rest, [keyword]: others }
  }
  return null
}

const isNull = (schema: JsonValue): boolean =>
  isJsonObject(schema) && (schema['type'] === 'null' || schema['const'] === null)

/** Of a schema with all variants of its variants: what refers to the same definition twice at each of 30 levels has 2³⁰. */
const VARIANTS_MAX = 1_000

/**
 * The variants of a schema, each a whole schema: `oneOf`, `anyOf`, or one for each type. Null if there are none, or too
 * many.
 */
export const variantsOf = once((schema: JsonObject): JsonObject[] | null => {
  const { oneOf, anyOf, title: _, description: _help, ...rest } = schema
  const variants = oneOf ?? anyOf ?? typesIn(schema)
  if (!Array.isArray(variants) || variants.length < 2 || countVariants(schema) > VARIANTS_MAX) return null
  const whole = variants.map((variant) =>
    isJsonObject(variant) ? { ...rest, ...schemaInside(schema, variant) } : null,
  )
  return whole.every((variant) => variant !== null) ? whole : null
})

/** With those of variants at any depth. Each part of a schema is counted once, however often it is referred to. */
const countVariants = once((schema: JsonObject): number => {
  const variants = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(variants)) return 1
  return variants.reduce<number>(
    (sum, variant) => sum + (isJsonObject(variant) ? countVariants(schemaInside(schema, variant)) : 1),
    0,
  )
})

function typesIn({ type, default: standard, enum: values }: JsonObject): JsonObject[] | null {
  if (!Array.isArray(type)) return null
  return type.flatMap((name) => {
    const choices = Array.isArray(values) ? values.filter((value) => isOf(name, value)) : null
    if (choices?.length === 0) return []
    return {
      type: name,
      ...(name === 'null' && { const: null }),
      ...(choices !== null && { enum: choices }),
      // the default of another type is none of this one
      ...(standard !== undefined && !isOf(name, standard) && { default: choices?.[0] ?? firstOf(name) }),
    }
  })
}

function isOf(type: JsonValue, value: JsonValue): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (value === null || Array.isArray(value)) return type === (value === null ? 'null' : 'array')
  return type === typeof value
}

function firstOf(type: JsonValue): JsonValue {
  switch (type) {
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return 0
    case 'array':
      return []
    case 'object':
      return {}
    case 'null':
      return null
    default:
      return ''
  }
}

/** The members that an object schema names; null for other schemas. */
export const membersOf = once((schema: JsonObject): Member[] | null => {
  const { properties, required, type } = schema
  if ((type !== undefined && type !== 'object') || !isJsonObject(properties)) return null
  const members = Object.entries(properties).map(([name, held]) => {
    const member = isJsonObject(held) ? schemaInside(schema, held) : {}
    const { description } = member
    return {
      name,
      title: schemaTitle(member) ?? name,
      help: typeof description === 'string' ? description : '',
      schema: member,
      isRequired: Array.isArray(required) && required.includes(name),
    }
  })
  return members.length > 0 ? members : null
})

/** Any value; its control follows the type of the value. */
export const ANY: JsonObject = Object.freeze({
  type: ['string', 'number', 'boolean', 'array', 'object', 'null'],
})

/** Nobody can say more about it than that it is JSON. */
const isAny = (schema: JsonValue | undefined): boolean =>
  schema === undefined ||
  schema === true ||
  (isJsonObject(schema) && Object.keys(schema).every((name) => name === 'description' || name === '$comment'))

/** The schema of the items of a list, if all have the same. */
export function itemsOf(schema: JsonObject): JsonObject | null {
  const { items, prefixItems } = schema
  if (prefixItems !== undefined) return null
  if (isAny(items)) return ANY
  return isJsonObject(items) ? schemaInside(schema, items) : null
}

/** The schema of the values under the keys that an object schema does not name; null if it allows no others. */
export function entriesOf(schema: JsonObject): JsonObject | null {
  const { additionalProperties, patternProperties } = schema
  const patterns = isJsonObject(patternProperties) ? Object.values(patternProperties) : []
  const [only] = patterns
  const isOnly = additionalProperties === false || additionalProperties === undefined
  const values = patterns.length === 0 ? additionalProperties : isOnly && patterns.length === 1 ? only : true
  if (values === false) return null
  return isJsonObject(values) && !isAny(values) ? schemaInside(schema, values) : ANY
}

/** Whether an object schema says itself that there may be other keys than those that it names. */
export const offersEntries = ({ additionalProperties, patternProperties }: JsonObject): boolean =>
  additionalProperties === true || isJsonObject(additionalProperties) || isJsonObject(patternProperties)

/** The members with one possible value, which nobody enters. */
export const constantsOf = (members: readonly Member[]): JsonObject =>
  Object.fromEntries(
    members.flatMap(({ name, schema }) => (schema['const'] === undefined ? [] : [[name, schema['const']]])),
  )

/** The variant whose constants a value has; -1 for none. */
export const variantByConstants = (variants: readonly JsonObject[], value: JsonValue | undefined): number =>
  variants.findIndex((variant) => {
    const constants = Object.entries(constantsOf(membersOf(variant) ?? []))
    return (
      constants.length > 0 && isJsonObject(value) && constants.every(([name, only]) => value[name] === only)
    )
  })

/** The title of a variant, or the constant that tells it apart; undefined if it has neither. */
export function variantTitle(variant: JsonObject): string | undefined {
  const { title, const: only } = variant
  if (typeof title === 'string') return title
  if (typeof only === 'string' || typeof only === 'number') return String(only)
  const constant = Object.values(constantsOf(membersOf(variant) ?? [])).find(
    (only) => typeof only === 'string',
  )
  return typeof constant === 'string' ? constant : undefined
}
