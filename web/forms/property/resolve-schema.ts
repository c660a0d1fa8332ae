import { getOwn, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { definitionName, referencesIn, withDefinitions } from '#contract/json-schema/references.ts'

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
export function once<Result>(compute: (schema: JsonObject) => Result): (schema: JsonObject) => Result {
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
export function schemaInside({ $defs }: JsonObject, schema: JsonObject): JsonObject {
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
