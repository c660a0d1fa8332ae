import type { JsonValue } from '#contract/json-schema/json.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { manifest, module, plugin, resource, TEXT } from '../manifests.ts'

// Two bundles in a few versions: one with everything that a bundle can have, one without a plugin. The model reads its
// rules from this table, and the published manifests are built from it.

export type Value = string | number | { service: string }

export interface Property {
  type: 'text' | 'count' | 'service'
  isRequired?: true
  isSensitive?: true
  fallback?: string | number
  /** The plugin that writes it. */
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
  if (found === undefined) throw new RangeError(`${bundle} has no version ${version}`)
  return found
}

/** A value in the form of the API. */
export function typedValue(value: Value | null): JsonValue {
  if (value === null) return null
  if (typeof value === 'object') return { '@type': 'ServiceReference', serviceId: value.service }
  return { '@type': 'Data', value }
}

/** The author manifest; another `variant` is another manifest of the same version. */
export function manifestOf(
  environmentKey: string,
  { bundle, version, variant }: { bundle: string; version: string; variant: number },
  pluginId: (name: PluginName) => string,
): AuthorManifest {
  const { resources, plugins } = versionOf(bundle, version)
  const core = Object.entries(resources[CORE] ?? {})
  const namesWhere = (fits: (property: Property) => boolean): string[] =>
    core.flatMap(([name, property]) => (fits(property) ? [name] : []))
  return manifest({ environmentKey, bundleId: bundle }, version, {
    title: `${bundle} ${variant}`,
    resources: Object.entries(resources).map(([place, defined]) => {
      const [kind = '', name = ''] = place.split('/')
      const properties = definitionsOf(defined)
      return kind === 'MODULE'
        ? module(bundle, name, { ...properties, instanceRefProperty: TEXT })
        : resource('GATEWAY', name, properties)
    }),
    plugins: plugins.map((name) =>
      plugin(bundle, pluginId(name), ORDER[name], {
        reads: ['name'],
        writes: namesWhere(({ writer }) => writer === name),
        credentials: namesWhere(({ type }) => name === 'one' && type === 'service'),
      }),
    ),
  })
}

function definitionsOf(defined: Record<string, Property>): AuthorManifest['resources'][number]['properties'] {
  const schemas = {
    text: { type: 'string', maxLength: TEXT_MAX },
    count: { type: 'integer', minimum: 1 },
  }
  return Object.fromEntries(
    Object.entries(defined).map(([name, { type, isRequired, isSensitive, fallback }]) => [
      name,
      type === 'service'
        ? { kind: 'SERVICE_REFERENCE' as const }
        : {
            kind: 'DATA' as const,
            schema: schemas[type],
            ...(isRequired && { required: true }),
            ...(isSensitive && { isSensitive: true }),
            ...(fallback !== undefined && { default: fallback }),
          },
    ]),
  )
}
