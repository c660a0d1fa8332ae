import { checkValue } from '#contract/json-schema/json-schema.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#contract/json-schema/json.ts'
import { schemaTitle } from '#contract/json-schema/schema-title.ts'

/** A member of an object that a form can show. */
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
export function withoutNull(schema: JsonObject): JsonObject | null {
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
}

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
    return others.length === 1 && isJsonObject(only) ? { ...only, ...rest } : { ...rest, [keyword]: others }
  }
  return null
}

const isNull = (schema: JsonValue): boolean =>
  isJsonObject(schema) && (schema['type'] === 'null' || schema['const'] === null)

/** The variants of a schema, each a whole schema; null if there are none. */
export function variantsOf(schema: JsonObject): JsonObject[] | null {
  const { oneOf, anyOf, title: _, description: _help, ...rest } = schema
  const variants = oneOf ?? anyOf
  if (!Array.isArray(variants) || variants.length < 2) return null
  const whole = variants.map((variant) => (isJsonObject(variant) ? { ...rest, ...variant } : null))
  return whole.every((variant) => variant !== null) ? whole : null
}

/** The members of an object schema; null for other schemas, and for objects whose members are open. */
export function membersOf(schema: JsonObject): Member[] | null {
  const { properties, required, type } = schema
  if ((type !== undefined && type !== 'object') || !isJsonObject(properties)) return null
  if (Object.keys(schema).some((keyword) => NOT_SHOWN.has(keyword))) return null
  const members = Object.entries(properties).map(([name, member]) => {
    if (!isJsonObject(member)) return null
    const { description } = member
    return {
      name,
      title: schemaTitle(member) ?? name,
      help: typeof description === 'string' ? description : '',
      schema: member,
      isRequired: Array.isArray(required) && required.includes(name),
    }
  })
  return members.length > 0 && members.every((member) => member !== null) ? members : null
}

/** Keywords that change which members there are. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  '$ref',
  'patternProperties',
  'if',
  'allOf',
  'dependentSchemas',
])

/** The members with one possible value, which nobody enters. */
export const constantsOf = (members: readonly Member[]): JsonObject =>
  Object.fromEntries(
    members.flatMap(({ name, schema }) => (schema['const'] === undefined ? [] : [[name, schema['const']]])),
  )

/** Which variant a value has: the one whose constants it has, or the first that it satisfies; -1 for none. */
export function variantOf(variants: readonly JsonObject[], value: JsonValue | undefined): number {
  if (value === undefined) return -1
  const byConstant = variants.findIndex((variant) => {
    const constants = Object.entries(constantsOf(membersOf(variant) ?? []))
    return (
      constants.length > 0 && isJsonObject(value) && constants.every(([name, only]) => value[name] === only)
    )
  })
  return byConstant === -1
    ? variants.findIndex((variant) => checkValue(variant, value).length === 0)
    : byConstant
}

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
