import { isJsonObject, getOwn } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { pointedAt } from './subschemas.ts'

/**
 * The value with the keys of its objects in the order in which its schema defines them in `properties`; other keys
 * follow in the order that they have. The schema of a value includes what it refers to in the same document and all
 * branches of `allOf`, `anyOf`, `oneOf`, `if`, `then` and `else`. Keys that are array indices come first, as in every
 * object of JavaScript.
 */
export function inSchemaOrder(schema: JsonValue, value: JsonValue): JsonValue {
  return ordered([schema], value, schema)
}

function ordered(schemas: readonly JsonValue[], value: JsonValue, root: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  const all = withBranches(schemas, root)
  if (all.length === 0) return value
  if (Array.isArray(value)) return value.map((item, index) => ordered(itemSchemas(all, index), item, root))
  const names = new Set(
    all.flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : [])),
  )
  const keys = [
    ...[...names].filter((name) => Object.hasOwn(value, name)),
    ...Object.keys(value).filter((name) => !names.has(name)),
  ]
  return Object.fromEntries(
    keys.map((key) => [key, ordered(memberSchemas(all, key), value[key] ?? null, root)]),
  )
}

const BRANCHES = ['allOf', 'anyOf', 'oneOf'] as const
const CONDITIONS = ['if', 'then', 'else'] as const

/** The schemas that may apply to the same value, each once. */
function withBranches(schemas: readonly JsonValue[], root: JsonValue): JsonObject[] {
  const found = new Set<JsonObject>()
  const open = [...schemas].toReversed()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isJsonObject(next) || found.has(next)) continue
    found.add(next)
    const { $ref } = next
    const inner = [
      ...(typeof $ref === 'string' ? [pointedAt(root, $ref) ?? null] : []),
      ...BRANCHES.flatMap((name) => listOf(next?.[name])),
      ...CONDITIONS.map((name) => next?.[name] ?? null),
    ]
    open.push(...inner.toReversed())
  }
  return [...found]
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : [])

const memberSchemas = (schemas: readonly JsonObject[], key: string): JsonValue[] =>
  schemas.flatMap(({ properties, additionalProperties }) => {
    const own = isJsonObject(properties) ? getOwn(properties, key) : undefined
    return own !== undefined ? [own] : additionalProperties === undefined ? [] : [additionalProperties]
  })

const itemSchemas = (schemas: readonly JsonObject[], index: number): JsonValue[] =>
  schemas.flatMap(({ prefixItems, items }) => {
    const own = listOf(prefixItems)[index]
    return own !== undefined ? [own] : items === undefined ? [] : [items]
  })
