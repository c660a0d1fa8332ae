import { getOwn, isJsonObject, pointerSegments, pointerTo } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** Keywords of 2020-12 by the kind of their value. The only place that knows where a schema can contain a schema. */
const SCHEMA_KEYWORDS = [
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

type Child = { keyword: string; key: string | null; schema: JsonValue }

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

/** The texts of all `$ref` of a schema, at any depth. Uses an explicit stack, because the schema may not be checked yet. */
export function referencesIn(schema: JsonValue): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { $ref } of schemasIn(schema)) if (typeof $ref === 'string') found.add($ref)
  return found
}

function schemasIn(schema: JsonValue): JsonObject[] {
  const all: JsonObject[] = []
  const open = [schema]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isJsonObject(next)) continue
    all.push(next)
    for (const child of childrenOf(next)) open.push(child.schema)
  }
  return all
}

/** The `name` of `#/$defs/name`; null for any other reference. */
export function definitionName(reference: string): string | null {
  const [start, name, ...more] = segmentsOf(reference) ?? []
  return start === '$defs' && name !== undefined && more.length === 0 ? name : null
}

/** The `name` of a reference to `#/$defs/name` or to a place inside it; null for any other. */
export function definitionUsed(reference: string): string | null {
  const [start, name] = segmentsOf(reference) ?? []
  return start === '$defs' && name !== undefined ? name : null
}

/** The part of a document that a reference by JSON pointer leads to; undefined for any other, or if there is none. */
export function pointedAt(document: JsonValue, reference: string): JsonValue | undefined {
  return segmentsOf(reference)?.reduce<JsonValue | undefined>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)]
    return isJsonObject(at) ? getOwn(at, key) : undefined
  }, document)
}

/** The path of a reference that is a JSON pointer into its document; null for any other. */
function segmentsOf(reference: string): string[] | null {
  if (reference !== '#' && !reference.startsWith('#/')) return null
  try {
    return pointerSegments(decodeURIComponent(reference.slice(1)))
  } catch {
    return null
  }
}

/** `#/$defs/name` */
const referenceTo = (name: string): string => `#${encodeURI(pointerTo('$defs', name)).replaceAll('#', '%23')}`

/**
 * The same schema with all its references to `$defs`: whatever else one refers to, by pointer or by anchor, is there
 * too, under the text of the reference. So a part of the schema means the same anywhere, as long as `$defs` is beside it.
 */
export function withDefinitions(schema: JsonObject): JsonObject {
  const others = [...referencesIn(schema)].filter((reference) => definitionName(reference) === null)
  if (others.length === 0) return schema
  const anchors = new Map(schemasIn(schema).map((held) => [`#${String(held['$anchor'])}`, held]))
  const targets = others.flatMap((reference) => {
    const target = targetOf(schema, reference, anchors)
    return target === undefined ? [] : [[reference, target] as const]
  })
  const known = new Set(targets.map(([reference]) => reference))
  const rewrite = (held: JsonValue): JsonValue =>
    mapSchemas(held, (part) =>
      typeof part['$ref'] === 'string' && known.has(part['$ref'])
        ? { ...part, $ref: referenceTo(part['$ref']) }
        : part,
    )
  const own = isJsonObject(schema['$defs']) ? schema['$defs'] : {}
  const definitions = [...Object.entries(own), ...targets].map(([name, held]) => [name, rewrite(held)])
  const { $defs: _, ...rest } = schema
  return { ...(rewrite(rest) as JsonObject), $defs: Object.fromEntries(definitions) as JsonObject }
}

function targetOf(
  schema: JsonObject,
  reference: string,
  anchors: ReadonlyMap<string, JsonObject>,
): JsonValue | undefined {
  const segments = segmentsOf(reference)
  if (segments === null) return anchors.get(reference)
  const { $defs: _, ...whole } = schema
  return segments.length === 0 ? whole : pointedAt(schema, reference)
}

/** Replaces a schema and all the schemas in it, from the inside out. */
function mapSchemas(schema: JsonValue, replace: (part: JsonObject) => JsonObject): JsonValue {
  if (!isJsonObject(schema)) return schema
  const result: JsonObject = { ...schema }
  for (const { keyword, key, schema: child } of childrenOf(schema)) {
    const mapped = mapSchemas(child, replace)
    const held = result[keyword]
    if (key === null) result[keyword] = mapped
    else if (Array.isArray(held)) {
      if (held === schema[keyword]) result[keyword] = held.with(Number(key), mapped)
      else held[Number(key)] = mapped
    } else if (isJsonObject(held)) {
      // it defines its keys, so that __proto__ is an ordinary name
      if (held === schema[keyword])
        result[keyword] = Object.fromEntries(
          Object.entries(held).map(([name, one]) => [name, name === key ? mapped : one]),
        )
      else held[key] = mapped
    }
  }
  return replace(result)
}

/** The title of a JSON Schema; undefined if it has none, or an empty one. */
export function schemaTitle(schema: unknown): string | undefined {
  const title = isJsonObject(schema) ? schema['title'] : undefined
  return typeof title === 'string' && title !== '' ? title : undefined
}
