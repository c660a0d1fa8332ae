import { isJsonObject } from '../json-schema/json.ts'
import type { JsonObject, JsonValue } from '../json-schema/json.ts'
import { definitionUsed, referencesIn } from '../json-schema/subschemas.ts'
import type { PropertyDefinition } from './property-definition.ts'

/** Schemas by name that the schemas of properties refer to as `#/$defs/name`. */
export type SharedDefinitions = Readonly<Record<string, JsonValue>>

interface Holder {
  $defs?: SharedDefinitions | undefined
  resources: readonly { properties: Readonly<Record<string, PropertyDefinition>> }[]
}

/**
 * The manifest with everything that its properties need in their own schemas, and without the shared definitions: what is
 * installed, checked and shown. An unchanged manifest if it shares none.
 */
export function withoutShared<Manifest extends Holder>(manifest: Manifest): Manifest {
  const { $defs, ...rest } = manifest
  if ($defs === undefined) return manifest
  const resources = manifest.resources.map((resource) => ({
    ...resource,
    properties: Object.fromEntries(
      Object.entries(resource.properties).map(([name, definition]) => [name, withNeeded(definition, $defs)]),
    ),
  }))
  // the same manifest, with other schemas
  return { ...rest, resources } as unknown as Manifest
}

function withNeeded(definition: PropertyDefinition, shared: SharedDefinitions): PropertyDefinition {
  const { schema } = definition
  if (!isJsonObject(schema)) return definition
  const needed = neededBy(schema, shared)
  if (needed.size === 0) return definition
  const own = isJsonObject(schema['$defs']) ? schema['$defs'] : {}
  const $defs: JsonObject = Object.fromEntries([
    ...[...needed].map((name) => [name, shared[name] ?? true]),
    ...Object.entries(own),
  ])
  return { ...definition, schema: { ...schema, $defs } }
}

/** The names of the shared definitions that a schema refers to, or that those refer to. */
export function neededBy(schema: JsonValue, shared: SharedDefinitions): ReadonlySet<string> {
  const needed = new Set<string>()
  const open = [schema]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const reference of referencesIn(next)) {
      const name = definitionUsed(reference)
      if (name === null || needed.has(name) || !Object.hasOwn(shared, name)) continue
      needed.add(name)
      open.push(shared[name] ?? true)
    }
  return needed
}
