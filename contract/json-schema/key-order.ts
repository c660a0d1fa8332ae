import { isJsonObject, getOwn } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { pointedAt } from './subschemas.ts'

/**
 * The value with the keys of its objects in the order in which its schema defines them in `properties`; other keys
 * follow in the order that they have. The schema of a value includes what it refers to in the same document and all
 * branches of `allOf`, `anyOf`, `oneOf`, `if`, `then` and `else`. Keys that are array indices come first, as in every
 * object of JavaScript. Where very many schemas apply, the order stays as it is.
 */
export const inSchemaOrder = (schema: JsonValue, value: JsonValue): JsonValue =>
  ordered(new SchemaGroups(schema).of([schema]), value)

function ordered(group: SchemaGroup | null, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || group === null) return value
  if (Array.isArray(value)) return value.map((item, index) => ordered(group.ofItem(index), item))
  const keys = Object.keys(value)
  const named = keys.filter((key) => group.places.has(key))
  const inOrder = named.toSorted((one, other) => group.placeOf(one) - group.placeOf(other))
  const others = named.length === keys.length ? [] : keys.filter((key) => !group.places.has(key))
  return Object.fromEntries(
    [...inOrder, ...others].map((key) => [key, ordered(group.ofMember(key), value[key] ?? null)]),
  )
}

/**
 * How many schemas and names one value may have looked at: the branches of a schema apply to each part of a value again. A schema that
 * applies as a whole needs about as many as it has of both, however often it refers to a part, so a longer one may have more; a response
 * may have thousands of values.
 */
const LOOKS_FREE = 1_000
const CHARACTERS_PER_LOOK = 4
const LOOKS_MAX = 100_000

/** Finds which schemas of a document apply to the same value. */
class SchemaGroups {
  readonly #root: JsonValue
  /** Of one schema, without those that apply with it. */
  readonly #known = new Map<JsonObject, SchemaGroup | null>()
  #left = LOOKS_FREE
  #isMeasured = false

  constructor(root: JsonValue) {
    this.#root = root
  }

  /** Null if no schema says anything about the value, and if there are too many. */
  of(schemas: readonly JsonValue[]): SchemaGroup | null {
    // many places may refer to one schema: its group is found once for all of them
    const targets = schemas.map((one) =>
      isJsonObject(one) && isAlias(one) ? pointedAt(this.#root, one.$ref) : one,
    )
    const objects = [...new Set(targets.filter(isJsonObject))]
    const [only] = objects
    if (objects.length !== 1 || only === undefined) return this.#groupOf(objects)
    const known = this.#known.get(only)
    if (known !== undefined) return known
    const group = this.#groupOf(objects)
    this.#known.set(only, group)
    return group
  }

  /** Counts what is looked at; false if it is too much. */
  look(count: number): boolean {
    this.#left -= count
    if (this.#left < 0 && !this.#isMeasured) {
      this.#isMeasured = true
      this.#left += Math.min(LOOKS_MAX, JSON.stringify(this.#root).length / CHARACTERS_PER_LOOK)
    }
    return this.#left >= 0
  }

  #groupOf(schemas: readonly JsonObject[]): SchemaGroup | null {
    const all = new Set<JsonObject>()
    const open: JsonValue[] = schemas.toReversed()
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!isJsonObject(next) || all.has(next)) continue
      all.add(next)
      const inner = branchesOf(next, this.#root)
      const names = isJsonObject(next['properties']) ? Object.keys(next['properties']).length : 0
      if (!this.look(1 + inner.length + names)) return null
      // one by one: as arguments they may be too many
      for (const one of inner.toReversed()) open.push(one)
    }
    return all.size === 0 ? null : new SchemaGroup([...all], this)
  }
}

/** The schemas that apply to the same value. What applies to its members and items is found when it is needed, once. */
class SchemaGroup {
  /** The names that they define, in their order. */
  readonly places: ReadonlyMap<string, number>
  readonly #schemas: readonly JsonObject[]
  readonly #groups: SchemaGroups
  readonly #members = new Map<string | null, SchemaGroup | null>()
  readonly #items = new Map<number, SchemaGroup | null>()
  /** From this position on, the same schemas apply to all items. */
  readonly #prefix: number

  constructor(schemas: readonly JsonObject[], groups: SchemaGroups) {
    this.#schemas = schemas
    this.#groups = groups
    const names = schemas.flatMap(({ properties }) =>
      isJsonObject(properties) ? Object.keys(properties) : [],
    )
    this.places = new Map([...new Set(names)].map((name, place) => [name, place]))
    this.#prefix = schemas.reduce((most, { prefixItems }) => Math.max(most, listOf(prefixItems).length), 0)
  }

  placeOf(name: string): number {
    return this.places.get(name) ?? 0
  }

  ofMember(key: string): SchemaGroup | null {
    return this.#inside(this.#members, this.places.has(key) ? key : null, ({ properties, ...others }) => {
      const own = isJsonObject(properties) ? getOwn(properties, key) : undefined
      return own ?? others['additionalProperties']
    })
  }

  ofItem(index: number): SchemaGroup | null {
    return this.#inside(
      this.#items,
      Math.min(index, this.#prefix),
      ({ prefixItems, items }) => listOf(prefixItems)[index] ?? items,
    )
  }

  #inside<Key>(
    known: Map<Key, SchemaGroup | null>,
    key: Key,
    schemaIn: (schema: JsonObject) => JsonValue | undefined,
  ): SchemaGroup | null {
    const found = known.get(key)
    if (found !== undefined) return found
    const isAllowed = this.#groups.look(this.#schemas.length)
    const group = isAllowed ? this.#groups.of(this.#schemas.flatMap((one) => schemaIn(one) ?? [])) : null
    known.set(key, group)
    return group
  }
}

const BRANCHES = ['allOf', 'anyOf', 'oneOf'] as const
const CONDITIONS = ['if', 'then', 'else'] as const

/** The schemas that apply to the same value as this one. */
const branchesOf = (schema: JsonObject, root: JsonValue): JsonValue[] => [
  ...(typeof schema['$ref'] === 'string' ? [pointedAt(root, schema['$ref']) ?? null] : []),
  ...BRANCHES.flatMap((name) => listOf(schema[name])),
  ...CONDITIONS.flatMap((name) => schema[name] ?? []),
]

/** Whether a schema says nothing about the order but what another one says. */
const isAlias = (schema: JsonObject): schema is JsonObject & { $ref: string } =>
  typeof schema['$ref'] === 'string' && !ORDERING.some((name) => Object.hasOwn(schema, name))
const ORDERING = [...BRANCHES, ...CONDITIONS, 'properties', 'additionalProperties', 'prefixItems', 'items']

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : [])
