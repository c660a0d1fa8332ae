import { getOwn, isJsonObject, pointerSegments, type JsonValue } from '../../../contract/json-schema/json.ts'
import { MISLEADING } from '../../../contract/protocol/foreign-text.ts'
import { formatLocator } from '../../../contract/protocol/locator.ts'
import type { AuthorManifest, ManifestPlugin } from '../../../contract/protocol/manifest.ts'
import type { PropertyDefinition } from '../../../contract/protocol/property-definition.ts'
import { isReferenceKind, typeOfKind, valueSchema } from '../../../contract/protocol/property-kinds.ts'
import { withoutShared } from '../../../contract/protocol/shared-definitions.ts'

/**
 * A declaration file for the plugins of a manifest: which values, references and writes each has, by locator. It adds to
 * `Plugins` of the SDK, so that `definePlugin` types the calls of these plugins. What TypeScript cannot say of a schema is
 * left out: a value always satisfies the type, but not everything of the type satisfies the schema.
 */
export function manifestTypes(manifest: AuthorManifest): string {
  const whole = withoutShared(manifest)
  const plugins = whole.plugins.map(
    (plugin) => `    ${text(plugin.pluginId)}: {\n${modulesOf(whole, plugin).join('')}    }\n`,
  )
  return `// Written by "plugin-sdk types" from ${manifest.bundle.bundleId} ${manifest.version}. Write it again when the manifest changes.
import type { JsonValue, Reference } from '@bundle-console/plugin-sdk'

declare module '@bundle-console/plugin-sdk' {
  interface Plugins {
${plugins.join('')}  }
}
`
}

function modulesOf(manifest: AuthorManifest, plugin: ManifestPlugin): string[] {
  return plugin.resources.flatMap(({ object, readProperties, writeProperties, credentialProperties }) => {
    const module = manifest.resources.find(({ moduleId }) => moduleId === object.moduleId)
    if (module === undefined) return []
    const definitionOf = (name: string): PropertyDefinition | undefined => getOwn(module.properties, name)
    const isReference = (name: string): boolean => isReferenceKind(definitionOf(name)?.kind ?? 'DATA')
    const read = [...new Set([...readProperties, ...credentialProperties])]
    const values = read.filter((name) => !isReference(name))
    const typeOf = (name: string): string => typeOfProperty(definitionOf(name))
    const lines = (names: readonly string[], lineOf: (name: string) => string): string =>
      names.length === 0 ? '{}' : `{\n${names.map((name) => `          ${lineOf(name)}\n`).join('')}        }`
    const locator = formatLocator({ ...manifest.bundle, kind: module.kind, name: module.name })
    return [
      `      ${text(locator)}: {
        values: ${lines(values, (name) => `${text(name)}?: ${typeOf(name)}`)}
        references: ${lines(read.filter(isReference), (name) => `${text(name)}?: ${referenceType(definitionOf(name))}`)}
        writes: ${lines(writeProperties, (name) => `${text(name)}: ${typeOf(name)}`)}
      }
`,
    ]
  })
}

/** A name may have any character, also one that would end the line of its literal. */
const text = (name: string): string =>
  `'${name
    .replaceAll(/['\\]/g, String.raw`\$&`)
    .replaceAll(UNSAFE, (found) => String.raw`\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`

const UNSAFE = new RegExp(String.raw`[${MISLEADING}\u2028\u2029]`, 'gu')

const referenceType = (definition: PropertyDefinition | undefined): string =>
  `Extract<Reference, { '@type': ${text(typeOfKind(definition?.kind ?? 'DATA'))} }>`

function typeOfProperty(definition: PropertyDefinition | undefined): string {
  if (definition === undefined) return ANY
  const schema = valueSchema(definition) as JsonValue
  return typeOfSchema(schema, { root: schema, depth: 0, work: { left: SCHEMAS_MAX } })
}

const ANY = 'JsonValue'
/** Schemas can refer to themselves, also several times. */
const DEPTH_MAX = 8
const SCHEMAS_MAX = 10_000

interface Place {
  root: JsonValue
  depth: number
  /** How many more schemas of the property are looked at. */
  work: { left: number }
}

function typeOfSchema(schema: JsonValue | undefined, { root, depth, work }: Place): string {
  if (work.left-- <= 0 || !isJsonObject(schema) || depth > DEPTH_MAX) return ANY
  const below = { root, depth: depth + 1, work }
  const union = (types: readonly string[]): string => {
    const all = [...new Set(types)]
    return all.includes(ANY) || all.length === 0 ? ANY : all.join(' | ')
  }
  const reference = schema['$ref']
  if (typeof reference === 'string') return typeOfSchema(targetOf(reference, root), below)
  if ('const' in schema) return literal(schema['const'])
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal))
  const alternatives = schema['oneOf'] ?? schema['anyOf']
  if (Array.isArray(alternatives)) return union(alternatives.map((one) => typeOfSchema(one, below)))
  const type = schema['type']
  if (Array.isArray(type)) return union(type.map((one) => typeOfSchema({ ...schema, type: one }, below)))
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return 'prefixItems' in schema ? `${ANY}[]` : `(${typeOfSchema(schema['items'], below)})[]`
    case 'object':
      return objectType(schema, below)
    default:
      return ANY
  }
}

function objectType(schema: { readonly [key: string]: JsonValue | undefined }, place: Place): string {
  const { properties, required, additionalProperties } = schema
  if (!isJsonObject(properties) || Object.keys(properties).length === 0)
    return `{ [key: string]: ${typeOfSchema(additionalProperties, place)} }`
  const names = Array.isArray(required) ? required : []
  const members = Object.entries(properties).map(
    ([name, one]) => `${text(name)}${names.includes(name) ? '' : '?'}: ${typeOfSchema(one, place)}`,
  )
  return `{ ${members.join('; ')} }`
}

const literal = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? text(value) : value === null || typeof value !== 'object' ? String(value) : ANY

/** The schema at a reference within the document; undefined for any other. */
function targetOf(reference: string, root: JsonValue): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined
  let target: JsonValue | undefined = root
  for (const segment of pointerSegments(decodeURIComponent(reference.slice(1))))
    target = isJsonObject(target) ? getOwn(target, segment) : undefined
  return target
}
