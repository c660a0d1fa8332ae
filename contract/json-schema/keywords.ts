import { isJsonObject } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** Keywords of 2020-12 by the kind of their value. The only place that knows where a schema can contain a schema. */
export const SCHEMA_KEYWORDS = [
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const
export const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
export const SCHEMA_MAP_KEYWORDS = [
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
] as const

/** Keywords whose schemas apply to the same value as the schema that contains them. */
export const IN_PLACE_KEYWORDS: readonly string[] = [
  'allOf',
  'anyOf',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
]

export type Child = { keyword: string; key: string | null; schema: JsonValue }

/** The direct subschemas of a schema, with keyword and name or index. */
export function childrenOf(schema: JsonObject): Child[] {
  const children: Child[] = []
  for (const keyword of SCHEMA_KEYWORDS)
    if (Object.hasOwn(schema, keyword)) children.push({ keyword, key: null, schema: schema[keyword] ?? null })
  for (const keyword of SCHEMA_LIST_KEYWORDS) {
    const list = schema[keyword]
    if (Array.isArray(list))
      for (const [index, item] of list.entries()) children.push({ keyword, key: String(index), schema: item })
  }
  for (const keyword of SCHEMA_MAP_KEYWORDS) {
    const map = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
    if (map !== undefined && isJsonObject(map))
      for (const [key, item] of Object.entries(map)) children.push({ keyword, key, schema: item })
  }
  return children
}
