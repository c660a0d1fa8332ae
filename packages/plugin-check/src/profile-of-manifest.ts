import { isJsonObject } from '../../../contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '../../../contract/json-schema/json.ts'
import { checkValue } from '../../../contract/json-schema/json-schema.ts'
import { formatLocator } from '../../../contract/protocol/locator.ts'
import type { AuthorManifest, ManifestPlugin } from '../../../contract/protocol/manifest.ts'
import { describeManifestProblem, readManifest } from '../../../contract/protocol/manifest-text.ts'
import type { PropertyDefinition } from '../../../contract/protocol/property-definition.ts'
import { withoutShared } from '../../../contract/protocol/shared-definitions.ts'
import { readTextFile, UsageError } from './profile.ts'

/**
 * A profile for a plugin of a bundle, with sample values from the schemas: a start, to be changed where the plugin wants
 * others. With a second manifest, a scenario upgrades from the first version to the second.
 *
 * @throws UsageError
 */
export function profileOfManifest(
  file: string,
  nextFile: string | null,
  pluginId: string | null,
): JsonObject {
  const manifest = manifestIn(file)
  const plugin = pluginOf(manifest, file, pluginId)
  const profile: JsonObject = {
    pluginId: plugin.pluginId,
    resources: modulesOf(manifest, plugin),
    configuration: plugin.configuration,
  }
  if (nextFile === null) return profile
  const next = manifestIn(nextFile)
  const resources = modulesOf(next, pluginOf(next, nextFile, plugin.pluginId))
  return {
    ...profile,
    scenarios: [
      {
        name: `from ${manifest.version} to ${next.version}`,
        steps: [
          { operation: 'INSTALL', targetVersion: manifest.version },
          { operation: 'UPGRADE', targetVersion: next.version, resources },
          { operation: 'DETACH' },
        ],
      },
    ],
  }
}

/** The mistakes are told as plugin-sdk check tells them. */
function manifestIn(file: string): AuthorManifest {
  const text = readTextFile(file, {
    subject: 'The manifest',
    ifMissing: 'Name the manifest of the bundle.',
  })
  const { manifest, problems } = readManifest(text.replace(/^\uFEFF/, ''))
  if (manifest !== null) return withoutShared(manifest)
  const lines = problems.map((problem) => describeManifestProblem(file, problem))
  throw new UsageError(`The manifest is wrong, so no profile was created.\n${lines.join('\n')}`)
}

function pluginOf({ plugins }: AuthorManifest, file: string, pluginId: string | null): ManifestPlugin {
  const found = pluginId === null ? plugins[0] : plugins.find((plugin) => plugin.pluginId === pluginId)
  if (found !== undefined && (pluginId !== null || plugins.length === 1)) return found
  const names = plugins.map((plugin) => plugin.pluginId).join(', ')
  throw new UsageError(
    names === ''
      ? `The manifest ${file} names no plugin.`
      : `Name one of the plugins of ${file} with --plugin: ${names}.`,
  )
}

function modulesOf(manifest: AuthorManifest, plugin: ManifestPlugin): JsonObject {
  return Object.fromEntries(
    plugin.resources.flatMap(({ object, readProperties, writeProperties, credentialProperties }) => {
      const module = manifest.resources.find(({ moduleId }) => moduleId === object.moduleId)
      if (module === undefined) return []
      const { kind, name, properties } = module
      const read = readProperties.filter((property) => !writeProperties.includes(property))
      const data = read.filter((property) => properties[property]?.kind === 'DATA')
      const samples = data.flatMap((property) => {
        const value = sampleOf(properties[property])
        return value === undefined ? [] : [[property, value] as const]
      })
      const changed = samples.flatMap(([property, value]) => {
        const other = otherSample(properties[property], value)
        return other === undefined ? [] : [[property, other] as const]
      })
      const isSensitive = (property: string): boolean => properties[property]?.isSensitive === true
      return [
        [
          formatLocator({ ...manifest.bundle, kind, name }),
          {
            properties: Object.fromEntries(samples),
            ...(changed.length > 0 && { changed: Object.fromEntries(changed) }),
            sensitive: samples.map(([property]) => property).filter(isSensitive),
            optional: samples
              .map(([property]) => property)
              .filter((property) => properties[property]?.required !== true),
            references: Object.fromEntries(
              [...new Set([...read, ...credentialProperties])].flatMap((property) => {
                const reference = referenceOf(properties[property]?.kind, property)
                return reference === null ? [] : [[property, reference]]
              }),
            ),
            writes: Object.fromEntries(
              writeProperties.map((property) => [
                property,
                {
                  ...(isSensitive(property) && { isSensitive: true }),
                  ...(properties[property]?.schema !== undefined && { schema: properties[property].schema }),
                },
              ]),
            ),
          },
        ] as const,
      ]
    }),
  )
}

function referenceOf(kind: string | undefined, property: string): JsonObject | null {
  const serviceId = `${property}-service`
  if (kind === 'SERVICE_REFERENCE') return { '@type': 'ServiceReference', serviceId }
  if (kind === 'SERVICE_REFERENCE_MAP')
    return { '@type': 'ServiceReferenceMap', valueMap: { main: { '@type': 'ServiceReference', serviceId } } }
  if (kind === 'SERVICE_REFERENCE_LIST')
    return { '@type': 'ServiceReferenceList', valueList: [{ '@type': 'ServiceReference', serviceId }] }
  return null
}

/** The default, or the first candidate that satisfies the schema; undefined if there is none. */
function sampleOf(definition: PropertyDefinition | undefined): JsonValue | undefined {
  if (definition?.default !== undefined) return definition.default
  return candidates(definition?.schema ?? true, 0).find((value) => isValid(definition, value))
}

function otherSample(definition: PropertyDefinition | undefined, value: JsonValue): JsonValue | undefined {
  const other = candidates(definition?.schema ?? true, 1)
  return other.find((one) => JSON.stringify(one) !== JSON.stringify(value) && isValid(definition, one))
}

const isValid = (definition: PropertyDefinition | undefined, value: JsonValue): boolean =>
  definition?.schema === undefined || checkValue(definition.schema, value).length === 0

const TEXTS = [
  'Northwind',
  'Northwind Sales',
  'northwind',
  'north-wind',
  'a',
  'https://example.com/',
  'a@example.com',
  '2026-01-01',
  '1.0.0',
]

/** Values to try, the likely ones first. */
function candidates(schema: JsonValue, depth: number): JsonValue[] {
  if (!isJsonObject(schema) || depth > 4) return ['Northwind', 'Northwind Sales', 1, true]
  const { enum: choices, const: only, examples, default: usual, type, minimum, maximum } = schema
  const given = [
    usual,
    ...(Array.isArray(examples) ? examples : []),
    ...(Array.isArray(choices) ? choices : []),
    only,
  ]
  const found = given.filter((value): value is JsonValue => value !== undefined)
  const types = Array.isArray(type) ? type : [type]
  if (types.includes('string') || type === undefined) {
    found.push(...TEXTS)
    const length = Number(schema['minLength'] ?? 0)
    if (length > 0 && length <= 1_000) found.push('x'.repeat(length), 'y'.repeat(length))
  }
  if (types.includes('integer') || types.includes('number')) {
    const first = Number(minimum ?? 1)
    found.push(first, first + 1, ...(maximum === undefined ? [] : [Number(maximum)]), 0, 1, 10)
  }
  if (types.includes('boolean')) found.push(true, false)
  if (types.includes('array')) {
    const [item = null, other = item] = candidates(schema['items'] ?? true, depth + 1)
    found.push([], [item], [item, other])
  }
  if (types.includes('object')) found.push(sampleObject(schema, depth))
  return found
}

function sampleObject({ properties, required }: JsonObject, depth: number): JsonObject {
  const schemas = isJsonObject(properties ?? null) ? (properties as JsonObject) : {}
  const names = Array.isArray(required) ? required.map(String) : []
  return Object.fromEntries(
    names.map((name) => [name, candidates(schemas[name] ?? true, depth + 1)[0] ?? null]),
  )
}
