import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import {
  data,
  plugin,
  secret,
  service,
  serviceList,
  serviceMap,
} from '#plugin/examples/bundles/definitions.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'

/** How a property is shown and edited; `plugin` is written by a plugin and read-only. */
export type Kind =
  | 'text'
  | 'number'
  | 'switch'
  | 'choice'
  | 'list'
  | 'object'
  | 'secret'
  | 'reference'
  | 'reference-map'
  | 'reference-list'
  | 'plugin'

export interface Field {
  property: string
  title: string
  kind: Kind
  locator: string
}

export const CHOICES = ['red', 'green', 'blue']

const bundle = { environmentKey: 'production', bundleId: 'editor-fuzz' }
const other = { environmentKey: 'production', bundleId: 'editor-fuzz-other' }

export const MAIN = formatLocator({ ...bundle, kind: 'MODULE', name: 'main' })
export const SECOND = formatLocator({ ...bundle, kind: 'MODULE', name: 'second' })
export const OTHER = formatLocator({ ...other, kind: 'MODULE', name: 'other' })
export const RESOURCE_TITLES: Readonly<Record<string, string>> = {
  [MAIN]: 'Main resource',
  [SECOND]: 'Second resource',
  [OTHER]: 'Resource of another bundle',
}

const text = (title: string) => data({ type: 'string', title, maxLength: 150 })
const number = (title: string) => data({ type: 'number', title })

const mainProperties: Record<string, PropertyDefinition> = {
  name: text('Name'),
  port: number('Port'),
  active: data({ type: 'boolean', title: 'Active' }),
  color: data({ type: 'string', enum: CHOICES, title: 'Color' }),
  tags: data({ type: 'array', items: { type: 'string' }, title: 'Tags' }),
  // a schema that the form cannot show, so that it is edited as a document
  limits: data({ allOf: [{ type: 'object' }], title: 'Limits' }),
  password: secret({ type: 'string', title: 'Password' }),
  store: service(),
  routes: serviceMap(),
  fallbacks: serviceList(),
  tenant: text('Tenant'),
}
const secondProperties: Record<string, PropertyDefinition> = { note: text('Note'), size: number('Size') }
const otherProperties: Record<string, PropertyDefinition> = { label: text('Label') }

const module = (name: string, locator: string, properties: Record<string, PropertyDefinition>) => ({
  kind: 'MODULE' as const,
  name,
  title: RESOURCE_TITLES[locator] ?? name,
  moduleId: `module-${name}`,
  properties,
})

/** One bundle with two resources and a plugin that writes a property, and another with one resource and no plugin. */
export const MANIFESTS: readonly AuthorManifest[] = [
  {
    bundle,
    version: '1.0.0',
    title: 'Editor fuzz',
    resources: [module('main', MAIN, mainProperties), module('second', SECOND, secondProperties)],
    plugins: [
      plugin('scripted-hooks', 10, [
        {
          object: { type: 'MODULE' as const, moduleId: 'module-main' },
          readProperties: ['name'],
          writeProperties: ['tenant'],
          credentialProperties: [],
        },
      ]),
    ],
  },
  {
    bundle: other,
    version: '1.0.0',
    title: 'Editor fuzz, other',
    resources: [module('other', OTHER, otherProperties)],
    plugins: [],
  },
]

/** The values at the start of a trial; the other properties are not set. */
export const INSTALL_VALUES: Readonly<Record<string, Record<string, TypedValue>>> = {
  [MAIN]: {
    name: wrapData('base'),
    port: wrapData(443),
    active: wrapData(false),
    color: wrapData('red'),
    tags: wrapData(['one', 'two']),
    limits: wrapData({ hosts: ['x'], inner: { a: 1, b: 1 }, most: 12 }),
    password: { ...wrapData('a first secret'), isSensitive: true },
  },
  [SECOND]: { note: wrapData('note') },
  [OTHER]: { label: wrapData('label') },
}

const KINDS: Readonly<Record<string, Kind>> = {
  name: 'text',
  port: 'number',
  active: 'switch',
  color: 'choice',
  tags: 'list',
  limits: 'object',
  password: 'secret',
  store: 'reference',
  routes: 'reference-map',
  fallbacks: 'reference-list',
  tenant: 'plugin',
  note: 'text',
  size: 'number',
  label: 'text',
}

/** Every property of the three resources; their names are unique. */
export const FIELDS: readonly Field[] = Object.entries({
  [MAIN]: mainProperties,
  [SECOND]: secondProperties,
  [OTHER]: otherProperties,
}).flatMap(([locator, properties]) =>
  Object.entries(properties).map(([property, definition]) => {
    const { schema } = definition
    const title =
      typeof schema === 'object' && schema !== null && 'title' in schema ? schema['title'] : property
    return { property, title: String(title), kind: KINDS[property] ?? 'text', locator }
  }),
)

export const EDITABLE: readonly Field[] = FIELDS.filter(({ kind }) => kind !== 'plugin')

export function fieldOf(property: string): Field {
  const field = FIELDS.find((one) => one.property === property)
  if (field === undefined) throw new RangeError(`there is no property ${property}`)
  return field
}
