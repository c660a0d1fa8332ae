import type { JsonValue } from '#contract/json-schema/json.ts'

// Two bundles in a few versions: one with all that a bundle can have, one without a plugin. The model reads its rules from
// this table, and the manifests that are published are made from it.

export type Value = string | number | { service: string }

export interface Property {
  type: 'text' | 'count' | 'service'
  isRequired?: true
  isSensitive?: true
  fallback?: string | number
  /** The plugin that may write it. */
  writer?: PluginName
}

export const PLUGINS = ['one', 'two'] as const
export type PluginName = (typeof PLUGINS)[number]
export const ORDER: Record<PluginName, number> = { one: 10, two: 20 }

export interface Version {
  resources: Record<string, Record<string, Property>>
  plugins: readonly PluginName[]
}

export const CORE = 'MODULE/core'
export const GATEWAY = 'GATEWAY/public'

const core: Record<string, Property> = {
  name: { type: 'text', isRequired: true },
  seats: { type: 'count', fallback: 5 },
  secret: { type: 'text', isSensitive: true },
  tenant: { type: 'text', writer: 'one' },
  publisher: { type: 'service' },
}
const region: Property = { type: 'text', isRequired: true, fallback: 'eu' }
const label: Property = { type: 'text' }

export const BUNDLES: Record<string, Record<string, Version>> = {
  crm: {
    '1': { resources: { [CORE]: core, [GATEWAY]: { domain: { type: 'text' } } }, plugins: ['one'] },
    '2': { resources: { [CORE]: { ...core, region } }, plugins: ['one', 'two'] },
    '3': {
      resources: {
        [CORE]: { name: { type: 'text', isRequired: true }, owner: { type: 'text', isRequired: true } },
        [GATEWAY]: { domain: { type: 'text', fallback: 'example' } },
      },
      plugins: ['two'],
    },
  },
  plain: {
    '1': { resources: { [CORE]: { label } }, plugins: [] },
    '2': { resources: { [CORE]: { label, extra: { type: 'text', fallback: 'x' } } }, plugins: [] },
  },
}

export const TEXT_MAX = 12

export function versionOf(bundle: string, version: string): Version {
  const found = BUNDLES[bundle]?.[version]
  if (found === undefined) throw new RangeError(`there is no ${bundle} ${version}`)
  return found
}

/** As the API takes it. */
export function wrapped(value: Value | null): JsonValue {
  if (value === null) return null
  if (typeof value === 'object') return { '@type': 'ServiceReference', serviceId: value.service }
  return { '@type': 'Data', value }
}

/** The author manifest; `variant` makes another one of the same version. */
export function manifestOf(
  environmentKey: string,
  { bundle, version, variant }: { bundle: string; version: string; variant: number },
  pluginId: (name: PluginName) => string,
): JsonValue {
  const { resources, plugins } = versionOf(bundle, version)
  const properties = resources[CORE] ?? {}
  const names = Object.keys(properties)
  const references = names.filter((name) => properties[name]?.type === 'service')
  return {
    bundle: { environmentKey, bundleId: bundle },
    version,
    title: `${bundle} ${variant}`,
    resources: Object.entries(resources).map(([place, defined]) => {
      const [kind = '', name = ''] = place.split('/')
      const moduleId = kind === 'MODULE' ? { moduleId: `${bundle}-${name}` } : {}
      return { kind, name, title: name, ...moduleId, properties: definitionsOf(kind, defined) }
    }),
    plugins: plugins.map((name) => ({
      pluginId: pluginId(name),
      order: ORDER[name],
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: [
        {
          object: { type: 'MODULE', moduleId: `${bundle}-core` },
          readProperties: ['name'],
          writeProperties: names.filter((property) => properties[property]?.writer === name),
          credentialProperties: name === 'one' ? references : [],
        },
      ],
    })),
  }
}

function definitionsOf(kind: string, defined: Record<string, Property>): JsonValue {
  const definitions = Object.entries(defined).map(([name, property]): [string, JsonValue] => [
    name,
    property.type === 'service'
      ? { kind: 'SERVICE_REFERENCE' }
      : {
          kind: 'DATA',
          schema:
            property.type === 'count'
              ? { type: 'integer', minimum: 1 }
              : { type: 'string', maxLength: TEXT_MAX },
          ...(property.isRequired && { required: true }),
          ...(property.isSensitive && { isSensitive: true }),
          ...(property.fallback !== undefined && { default: property.fallback }),
        },
  ])
  const instanceRef: [string, JsonValue][] =
    kind === 'MODULE' ? [['instanceRefProperty', { kind: 'DATA', schema: { type: 'string' } }]] : []
  return Object.fromEntries([...definitions, ...instanceRef])
}
