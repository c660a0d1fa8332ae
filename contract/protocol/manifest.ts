import * as z from 'zod'
import { AuthorAuthorization, FailurePolicy, PluginConfiguration, PluginOrder } from './authorization.ts'
import type { Detail } from './envelope.ts'
import { EventDeclaration } from './event-declaration.ts'
import { newCheckBudget, type CheckBudget } from '../json-schema/check-work.ts'
import { checkSchema, checkValue, type Problem } from '../json-schema/json-schema.ts'
import { Key, mapOf, ModuleId, PropertyName } from './keys.ts'
import {
  DESCRIPTION_MAX,
  INSTANCE_REF_PROPERTY,
  KEY_MAX,
  PATTERNS_MAX,
  SCHEMAS_MAX,
  TITLE_MAX,
} from './limits.ts'
import { formatLocator, RESOURCE_KINDS } from './locator.ts'
import { JsonSchema, PropertyDefinition } from './property-definition.ts'
import { isReferenceKind, valueSchema } from './property-kinds.ts'
import { BundleRef } from './scope.ts'
import { isJsonObject, pointerSegments, pointerTo } from '../json-schema/json.ts'
import type { JsonValue } from '../json-schema/json.ts'
import { childrenOf } from '../json-schema/subschemas.ts'
import { neededBy, withoutShared, type SharedDefinitions } from './shared-definitions.ts'

const Title = z.string().min(1, 'Must not be empty').max(TITLE_MAX, `Must be at most ${TITLE_MAX} characters`)

const DefinitionName = z
  .string()
  .min(1, 'Must not be empty')
  .max(KEY_MAX, `Must be at most ${KEY_MAX} characters`)

/** A resource of a bundle. Its locator consists of the bundle, the kind and the name. */
export const ManifestResource = z.strictObject({
  kind: z.enum(RESOURCE_KINDS, `Must be one of ${RESOURCE_KINDS.join(', ')}`),
  name: Key,
  title: Title,
  properties: mapOf(PropertyName, PropertyDefinition),
  moduleId: ModuleId.optional(),
  events: z.array(EventDeclaration).optional(),
})
export type ManifestResource = z.infer<typeof ManifestResource>

/** A plugin of a bundle, and what it requests on the bundle's Modules. */
export const ManifestPlugin = z.strictObject({
  pluginId: Key,
  order: PluginOrder,
  failurePolicy: FailurePolicy,
  configuration: PluginConfiguration,
  resources: z.array(AuthorAuthorization),
})
export type ManifestPlugin = z.infer<typeof ManifestPlugin>

/** What the author of a bundle publishes for one version. Only the shape: `checkManifest` checks consistency. */
export const AuthorManifest = z.strictObject({
  /** Where an editor finds the schema of this file; a publication drops it. */
  $schema: z.string().optional(),
  bundle: BundleRef,
  version: Key,
  title: Title,
  description: z.string().max(DESCRIPTION_MAX, `Must be at most ${DESCRIPTION_MAX} characters`).optional(),
  /** Schemas by name, to which the schemas of properties may refer as `#/$defs/name`. */
  $defs: mapOf(DefinitionName, JsonSchema).optional(),
  resources: z.array(ManifestResource),
  plugins: z.array(ManifestPlugin),
})
export type AuthorManifest = z.infer<typeof AuthorManifest>

type Place = { locator?: string; property?: string; path: string }

/** Every problem that makes a manifest MANIFEST_INVALID; `path` is a JSON pointer into the manifest. */
export function checkManifest(manifest: AuthorManifest): Detail[] {
  const shared = manifest.$defs ?? {}
  const tooLarge = [...checkPatterns(manifest), ...checkSize(manifest, shared)]
  if (tooLarge.length > 0) return tooLarge
  const whole = withoutShared(manifest)
  const budget = newCheckBudget()
  const repeated = repeatedIn(whole.resources.map(({ kind, name }) => `${kind}/${name}`))
  return [
    ...checkShared(shared),
    ...whole.resources.flatMap((resource, index) => [
      ...(repeated.has(index) ? [repeatedResource(whole, resource, index)] : []),
      ...checkResource(whole, resource, index, { shared, budget }),
      ...checkOwnDefinitions(manifest, index, shared),
    ]),
    ...checkModuleIdsAreUnique(manifest),
    ...checkPlugins(manifest),
    ...checkWritersAreAlone(manifest),
  ]
}

/** Checked before any pattern is analyzed. */
function checkPatterns({ $defs = {}, resources }: AuthorManifest): Detail[] {
  const patterns = new Set<string>()
  const open: JsonValue[] = [
    ...Object.values($defs),
    ...resources.flatMap(({ properties, events = [] }) => [
      ...Object.values(properties).map(({ schema = true }) => schema),
      ...events.map(({ schema }) => schema),
    ]),
  ]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isJsonObject(schema)) continue
    const { pattern, patternProperties = null } = schema
    if (typeof pattern === 'string') patterns.add(pattern)
    for (const name of isJsonObject(patternProperties) ? Object.keys(patternProperties) : [])
      patterns.add(name)
    for (const child of childrenOf(schema)) open.push(child.schema)
  }
  const size = [...patterns].reduce((sum, pattern) => sum + pattern.length, 0)
  return size > PATTERNS_MAX ? [refuse({ path: '' }, TOO_MANY_PATTERNS)] : []
}

const TOO_MANY_PATTERNS = `The different patterns of all schemas have more than ${PATTERNS_MAX} characters together`

/** Checked before definitions are expanded: a small manifest may refer to a large definition from every property. */
function checkSize({ resources }: AuthorManifest, shared: SharedDefinitions): Detail[] {
  const sizes = new Map(Object.entries(shared).map(([name, schema]) => [name, JSON.stringify(schema).length]))
  if (sizes.size === 0) return []
  let size = 0
  for (const { properties } of resources)
    for (const { schema = true } of Object.values(properties)) {
      size += JSON.stringify(schema).length
      for (const name of neededBy(schema, shared)) size += sizes.get(name) ?? 0
      // reading the definitions of the other properties too would cost what this check prevents
      if (size > SCHEMAS_MAX) return [refuse({ path: pointerTo('$defs') }, TOO_LARGE)]
    }
  return []
}

const TOO_LARGE =
  'The schemas of all properties, each with the shared definitions that it needs, are too large ' +
  `together: at most ${SCHEMAS_MAX} characters are allowed`

const checkShared = (shared: SharedDefinitions): Detail[] =>
  detailsOf({ path: '' }, checkSchema({ $defs: { ...shared } }))

/** A name that is both shared and a property's own would be ambiguous. */
function checkOwnDefinitions(manifest: AuthorManifest, index: number, shared: SharedDefinitions): Detail[] {
  const resource = manifest.resources[index]
  if (resource === undefined) return []
  return Object.entries(resource.properties).flatMap(([property, { schema }]) => {
    const own = isJsonObject(schema) && isJsonObject(schema['$defs']) ? Object.keys(schema['$defs']) : []
    return own
      .filter((name) => Object.hasOwn(shared, name))
      .map((name) =>
        refuse(
          {
            locator: locatorOf(manifest, resource),
            property,
            path: pointerTo('resources', index, 'properties', property, 'schema', '$defs', name),
          },
          `${name} is already the name of a shared definition`,
        ),
      )
  })
}

const locatorOf = (manifest: AuthorManifest, resource: ManifestResource): string =>
  formatLocator({ ...manifest.bundle, kind: resource.kind, name: resource.name })

const refuse = (place: Place, message: string): Detail => ({
  ...place,
  errorCode: 'MANIFEST_INVALID',
  message,
})

/** The positions of texts that have occurred before. */
function repeatedIn(texts: readonly string[]): ReadonlySet<number> {
  const known = new Set<string>()
  return new Set(texts.flatMap((text, index) => (known.size === known.add(text).size ? [index] : [])))
}

const repeatedResource = (manifest: AuthorManifest, resource: ManifestResource, index: number): Detail =>
  refuse(
    { locator: locatorOf(manifest, resource), path: pointerTo('resources', index, 'name') },
    'Another resource has the same kind and name',
  )

/** What the checks of all properties share. */
interface Shared {
  shared: SharedDefinitions
  /** Of all default values. */
  budget: CheckBudget
}

function checkResource(
  manifest: AuthorManifest,
  resource: ManifestResource,
  index: number,
  common: Shared,
): Detail[] {
  const locator = locatorOf(manifest, resource)
  const at = (...path: (string | number)[]): Place => ({
    locator,
    path: pointerTo('resources', index, ...path),
  })
  const details: Detail[] = []
  if (resource.kind === 'MODULE') {
    if (resource.moduleId === undefined) details.push(refuse(at('moduleId'), 'A MODULE must have a moduleId'))
  } else {
    if (resource.moduleId !== undefined) details.push(refuse(at('moduleId'), 'Only a MODULE has a moduleId'))
    if (resource.events !== undefined) details.push(refuse(at('events'), 'Only a MODULE declares events'))
  }
  const events = resource.events ?? []
  const repeated = repeatedIn(events.map(({ method }) => method))
  for (const [eventIndex, event] of events.entries()) {
    const place = at('events', eventIndex, 'schema')
    for (const detail of detailsOf(place, checkSchema(event.schema))) details.push(detail)
    if (repeated.has(eventIndex))
      details.push(
        refuse(at('events', eventIndex, 'method'), `Event ${event.method} is declared more than once`),
      )
  }
  const ofProperties = Object.entries(resource.properties).flatMap(([name, definition]) =>
    checkDefinition({ ...at('properties', name), property: name }, resource, definition, common),
  )
  return [...details, ...ofProperties]
}

function checkDefinition(
  place: Place,
  resource: ManifestResource,
  definition: PropertyDefinition,
  { shared, budget }: Shared,
): Detail[] {
  if (place.property === INSTANCE_REF_PROPERTY && (resource.kind !== 'MODULE' || definition.kind !== 'DATA'))
    return [refuse(place, 'A protected property may only be a DATA property of a MODULE')]
  const schema = valueSchema(definition)
  const problems = checkSchema(schema)
  // problems of a shared definition are reported at the definition
  if (problems.length > 0)
    return detailsOf(
      within(place, 'schema'),
      problems.filter(({ path }) => !isInShared(path, shared)),
    )
  if (definition.default === undefined) return []
  if (definition.isSensitive === true)
    return [
      refuse(within(place, 'default'), 'A sensitive property must not have a default: manifests are shown'),
    ]
  return detailsOf(within(place, 'default'), checkValue(schema, definition.default, budget))
}

function isInShared(path: string, shared: SharedDefinitions): boolean {
  const [first, name = ''] = pointerSegments(path)
  return first === '$defs' && Object.hasOwn(shared, name)
}

const within = (place: Place, ...path: string[]): Place => ({
  ...place,
  path: place.path + pointerTo(...path),
})

const detailsOf = (place: Place, problems: Problem[]): Detail[] =>
  problems.map(({ path, message, parameters }) => ({
    ...refuse({ ...place, path: place.path + path }, message),
    ...(parameters !== undefined && { parameters }),
  }))

function checkModuleIdsAreUnique(manifest: AuthorManifest): Detail[] {
  const seen = new Map<string, string>()
  const details: Detail[] = []
  for (const [index, resource] of manifest.resources.entries()) {
    if (resource.moduleId === undefined) continue
    const locator = locatorOf(manifest, resource)
    const owner = seen.get(resource.moduleId)
    if (owner === undefined) seen.set(resource.moduleId, `${resource.kind}/${resource.name}`)
    else
      details.push(
        refuse(
          { locator, path: pointerTo('resources', index, 'moduleId') },
          `The moduleId is already that of ${owner}`,
        ),
      )
  }
  return details
}

/** What a call of an operation is stored with; another order could be published, but never installed. */
const [ORDER_MIN, ORDER_MAX] = [-2_147_483_648, 2_147_483_647]

function checkPlugins(manifest: AuthorManifest): Detail[] {
  const repeated = repeatedIn(manifest.plugins.map(({ pluginId }) => pluginId))
  // of two with one moduleId, which is a problem of its own, the first
  const modules = new Map(
    manifest.resources
      .filter(({ kind }) => kind === 'MODULE')
      .toReversed()
      .map((resource) => [resource.moduleId, resource]),
  )
  return manifest.plugins.flatMap((plugin, index) => {
    const details: Detail[] = []
    if (repeated.has(index))
      details.push(
        refuse(
          { path: pointerTo('plugins', index, 'pluginId') },
          `Plugin ${plugin.pluginId} is listed twice`,
        ),
      )
    if (plugin.order < ORDER_MIN || plugin.order > ORDER_MAX)
      details.push(
        refuse({ path: pointerTo('plugins', index, 'order') }, `Must be from ${ORDER_MIN} to ${ORDER_MAX}`),
      )
    const named = new Set<string>()
    for (const [entry, authorization] of plugin.resources.entries()) {
      const path = pointerTo('plugins', index, 'resources', entry)
      const { moduleId } = authorization.object
      if (named.has(moduleId))
        details.push(
          refuse({ path: `${path}/object/moduleId` }, 'The plugin has another entry for this Module'),
        )
      named.add(moduleId)
      // not as arguments, of which there may be too many
      const module = modules.get(moduleId)
      for (const detail of checkAuthorization(manifest, module, { authorization, path })) details.push(detail)
    }
    return details
  })
}

function checkAuthorization(
  manifest: AuthorManifest,
  module: ManifestResource | undefined,
  { authorization, path }: { authorization: AuthorAuthorization; path: string },
): Detail[] {
  if (module === undefined)
    return [refuse({ path: `${path}/object/moduleId` }, 'No MODULE of this manifest has this moduleId')]
  const locator = locatorOf(manifest, module)
  return PROPERTY_LISTS.flatMap((list) =>
    authorization[list].flatMap((property, index) => {
      const definition = Object.hasOwn(module.properties, property) ? module.properties[property] : undefined
      const problem = problemOfListed(list, property, definition)
      return problem === null
        ? []
        : [refuse({ locator, property, path: `${path}/${list}/${index}` }, problem)]
    }),
  )
}

const PROPERTY_LISTS = ['readProperties', 'writeProperties', 'credentialProperties'] as const

function problemOfListed(
  list: (typeof PROPERTY_LISTS)[number],
  property: string,
  definition: PropertyDefinition | undefined,
): string | null {
  // Checked first, defined or not: only the runtime may write it.
  if (list === 'writeProperties' && property === INSTANCE_REF_PROPERTY)
    return 'A protected property can be in no writeProperties'
  if (definition === undefined) return `The Module has no property ${property}`
  if (list === 'writeProperties' && isReferenceKind(definition.kind))
    return `${property} is not DATA: a plugin writes no references`
  if (list === 'credentialProperties' && !isReferenceKind(definition.kind))
    return `${property} is DATA: credentialProperties are for references`
  return null
}

function checkWritersAreAlone(manifest: AuthorManifest): Detail[] {
  const writers = new Map<string, string>()
  const details: Detail[] = []
  for (const [index, plugin] of manifest.plugins.entries())
    for (const [entry, { object, writeProperties }] of plugin.resources.entries())
      for (const [position, property] of writeProperties.entries()) {
        const key = JSON.stringify([object.moduleId, property])
        const writer = writers.get(key) ?? plugin.pluginId
        writers.set(key, writer)
        if (writer !== plugin.pluginId)
          details.push(
            refuse(
              {
                property,
                path: pointerTo('plugins', index, 'resources', entry, 'writeProperties', position),
              },
              `${property} may already be written by plugin ${writer}`,
            ),
          )
      }
  return details
}
