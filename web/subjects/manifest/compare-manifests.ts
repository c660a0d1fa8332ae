import { getOwn, deepEqual } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { locatorIn, writersIn, type Manifest, type Resource } from './writers.ts'

export type ChangeKind = 'added' | 'removed' | 'changed'

/** The part of a definition that changed. */
export type Aspect = 'kind' | 'schema' | 'required' | 'isSensitive' | 'default' | 'writer' | 'place'

export type PropertyDifference = {
  name: string
  change: ChangeKind
  before: PropertyDefinition | null
  after: PropertyDefinition | null
  aspects: Aspect[]
  /** It requires a value now, and neither a default nor a plugin sets one. */
  isNewlyRequired: boolean
}

export type ResourceDifference = {
  locator: string
  kind: ResourceKind
  title: string
  change: ChangeKind
  properties: PropertyDifference[]
}

export type Right = 'reads' | 'writes' | 'resolves'
export type RightDifference = { locator: string; right: Right; gained: string[]; lost: string[] }

export type PluginDifference = {
  pluginId: string
  change: ChangeKind
  order: { before: number | null; after: number | null }
  isConfigurationChanged: boolean
  rights: RightDifference[]
}

export type ManifestDifferences = { resources: ResourceDifference[]; plugins: PluginDifference[] }

export const isSameManifest = ({ resources, plugins }: ManifestDifferences): boolean =>
  resources.length === 0 && plugins.length === 0

/** The differences between two versions of a bundle. */
export function compareManifests(before: Manifest, after: Manifest): ManifestDifferences {
  return { resources: compareResources(before, after), plugins: comparePlugins(before, after) }
}

function compareResources(before: Manifest, after: Manifest): ResourceDifference[] {
  const [old, now] = [byLocator(before), byLocator(after)]
  const [oldWriters, writers] = [writersIn(before), writersIn(after)]
  return union(old, now).flatMap((locator) => {
    const [was, is] = [old.get(locator), now.get(locator)]
    const shown = is ?? was
    if (shown === undefined) return []
    const properties = compareProperties(
      { definitions: was?.properties ?? {}, writers: oldWriters.get(locator) },
      { definitions: is?.properties ?? {}, writers: writers.get(locator) },
    )
    const change = changeOf(was, is)
    const isChanged = change !== 'changed' || properties.length > 0 || was?.title !== is?.title
    return isChanged ? [{ locator, kind: shown.kind, title: shown.title, change, properties }] : []
  })
}

type Side = {
  definitions: Readonly<Record<string, PropertyDefinition>>
  writers: ReadonlyMap<string, string> | undefined
}

function compareProperties(before: Side, after: Side): PropertyDifference[] {
  const names = new Set([...Object.keys(before.definitions), ...Object.keys(after.definitions)])
  names.delete(INSTANCE_REF_PROPERTY)
  return [...names].flatMap((name) => {
    const [was, is] = [getOwn(before.definitions, name), getOwn(after.definitions, name)]
    const aspects = was && is ? aspectsOf(was, is) : []
    if (was && is && before.writers?.get(name) !== after.writers?.get(name)) aspects.push('writer')
    if (was && is && aspects.length === 0) return []
    const needsValue = is?.required === true && is.default === undefined && after.writers?.has(name) !== true
    return [
      {
        name,
        change: changeOf(was, is),
        before: was ?? null,
        after: is ?? null,
        aspects,
        isNewlyRequired: needsValue && was?.required !== true,
      },
    ]
  })
}

function aspectsOf(was: PropertyDefinition, is: PropertyDefinition): Aspect[] {
  const aspects: Aspect[] = []
  if (was.kind !== is.kind) aspects.push('kind')
  if (!same(was.schema, is.schema)) aspects.push('schema')
  if ((was.required === true) !== (is.required === true)) aspects.push('required')
  if ((was.isSensitive === true) !== (is.isSensitive === true)) aspects.push('isSensitive')
  if (!same(was.default, is.default)) aspects.push('default')
  if (was.group !== is.group || was.order !== is.order) aspects.push('place')
  return aspects
}

function comparePlugins(before: Manifest, after: Manifest): PluginDifference[] {
  const [old, now] = [byId(before), byId(after)]
  return union(old, now).flatMap((pluginId) => {
    const [was, is] = [old.get(pluginId), now.get(pluginId)]
    const rights = compareRights(rightsOf(before, was), rightsOf(after, is))
    const change = changeOf(was, is)
    const isConfigurationChanged =
      was !== undefined && is !== undefined && !same(was.configuration, is.configuration)
    if (change === 'changed' && rights.length === 0 && !isConfigurationChanged && was?.order === is?.order)
      return []
    const order = { before: was?.order ?? null, after: is?.order ?? null }
    return [{ pluginId, change, order, isConfigurationChanged, rights }]
  })
}

type Plugin = Manifest['plugins'][number]
const RIGHTS = ['reads', 'writes', 'resolves'] as const

/** By locator: the properties that a plugin may read, write and resolve. */
function rightsOf(manifest: Manifest, plugin: Plugin | undefined): Map<string, Record<Right, string[]>> {
  const rights = new Map<string, Record<Right, string[]>>()
  for (const entry of plugin?.resources ?? []) {
    const module = manifest.resources.find(({ moduleId }) => moduleId === entry.object.moduleId)
    if (module === undefined) continue
    const { readProperties: reads, writeProperties: writes, credentialProperties: resolves } = entry
    rights.set(locatorIn(manifest, module), { reads, writes, resolves })
  }
  return rights
}

function compareRights(
  before: ReadonlyMap<string, Record<Right, string[]>>,
  after: ReadonlyMap<string, Record<Right, string[]>>,
): RightDifference[] {
  return union(before, after).flatMap((locator) =>
    RIGHTS.flatMap((right) => {
      const was = before.get(locator)?.[right] ?? []
      const is = after.get(locator)?.[right] ?? []
      const gained = is.filter((name) => !was.includes(name))
      const lost = was.filter((name) => !is.includes(name))
      return gained.length + lost.length === 0 ? [] : [{ locator, right, gained, lost }]
    }),
  )
}

const byLocator = (manifest: Manifest): Map<string, Resource> =>
  new Map(manifest.resources.map((resource) => [locatorIn(manifest, resource), resource]))
const byId = (manifest: Manifest): Map<string, Plugin> =>
  new Map(manifest.plugins.map((plugin) => [plugin.pluginId, plugin]))

/** The keys of both: those of the newer manifest in its order, then removed ones. */
const union = (before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] => [
  ...new Set([...after.keys(), ...before.keys()]),
]

const changeOf = (was: unknown, is: unknown): ChangeKind =>
  was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'

const same = (a: unknown, b: unknown): boolean =>
  deepEqual(a as JsonValue | undefined, b as JsonValue | undefined)
