import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { Configuration, ConfigurationResource } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { holdsText, propertyTexts } from '../../../subjects/manifest/found-resources.ts'
import { isManagedBy } from '../../../subjects/people/use-manager-text.ts'
import { compareText } from '../../../i18n/compare-text.ts'
import { isSet, valueOf } from '../../../forms/property/property-value.ts'
import { viewAt } from './draft.ts'
import { bundleIdOf, propertyTitle } from '../../../forms/property/property-labels.ts'

/** The filter of the page: a text, and only properties that are edited, invalid, or set here. */
export interface Filter {
  q: string
  show: ConfigurationSearch['show']
}

/** The edited properties of a resource, and those of them that are invalid. */
export interface Marks {
  edited: readonly string[]
  invalid: readonly string[]
}

export interface OutlineGroup {
  bundleInstallId: string
  bundleId: string
  resources: OutlineEntry[]
}

export interface OutlineEntry {
  locator: string
  resource: ConfigurationResource
  /** It is no longer in the scope, and only the person's edits are left: with its installation, or by an upgrade. */
  gone?: 'detached' | 'removed'
}

const KIND_ORDER = { MODULE: 0, GATEWAY: 1, AGENT: 2, TIMER: 3 }

/** The resources of a scope by installation, in an order that does not depend on the order of the response. */
export function groupResources(
  { resources }: Configuration,
  gone: ReadonlyMap<string, ConfigurationResource> = new Map(),
): OutlineGroup[] {
  const groups = new Map<string, OutlineGroup>()
  const add = (locator: string, entry: Omit<OutlineEntry, 'locator'>) => {
    const { bundleInstallId } = entry.resource
    const group = groups.get(bundleInstallId) ?? {
      bundleInstallId,
      bundleId: bundleIdOf(locator),
      resources: [],
    }
    group.resources.push({ locator, ...entry })
    groups.set(bundleInstallId, group)
  }
  for (const [locator, resource] of Object.entries(resources)) add(locator, { resource })
  const installed = new Set(groups.keys())
  for (const [locator, resource] of gone)
    add(locator, { resource, gone: installed.has(resource.bundleInstallId) ? 'removed' : 'detached' })
  for (const { resources } of groups.values())
    resources.sort(
      (a, b) =>
        KIND_ORDER[a.resource.kind] - KIND_ORDER[b.resource.kind] ||
        compareText(a.resource.title, b.resource.title) ||
        compareText(a.locator, b.locator),
    )
  return [...groups.values()].sort(
    (a, b) => compareText(a.bundleId, b.bundleId) || compareText(a.bundleInstallId, b.bundleInstallId),
  )
}

export const isNarrowed = ({ q, show }: Filter): boolean => q !== '' || show !== undefined

/** The properties of a resource that match the filter. A resource whose own name matches shows all. */
export function matchingProperties(
  { locator, resource }: { locator: string; resource: ConfigurationResource },
  { q, show }: Filter,
  marks: Marks | undefined,
): string[] {
  const names = propertyNames(resource)
  const marked =
    show === undefined
      ? names
      : names.filter((name) =>
          show === 'set'
            ? originOf(resource, name) === 'here'
            : marks?.[show === 'changed' ? 'edited' : 'invalid'].includes(name),
        )
  if (q === '' || holdsText([locator, resource.title], q)) return marked
  return marked.filter((name) => holdsText(propertyTexts(name, definitionOf(resource, name)), q))
}

/** The filtered outline. */
export function narrowGroups(
  groups: readonly OutlineGroup[],
  filter: Filter,
  marks: ReadonlyMap<string, Marks>,
): OutlineGroup[] {
  if (!isNarrowed(filter)) return [...groups]
  return groups.flatMap((group) => {
    const resources = group.resources.filter(
      (entry) =>
        matchingProperties(entry, filter, marks.get(entry.locator)).length > 0 ||
        // a resource without properties is still found by its name
        (filter.show === undefined && holdsText([entry.locator, entry.resource.title], filter.q)),
    )
    return resources.length === 0 ? [] : [{ ...group, resources }]
  })
}

/** The first property that matches the filter, in the order of the page: of the preferred resource, if it has one. */
export function firstMatch(
  groups: readonly OutlineGroup[],
  filter: Filter,
  marks: ReadonlyMap<string, Marks>,
  preferred: string | undefined,
): { resource: string; property: string } | undefined {
  const entries = narrowGroups(groups, filter, marks).flatMap(({ resources }) => resources)
  const first = entries.filter(({ locator }) => locator === preferred)
  for (const entry of [...first, ...entries]) {
    const names = matchingProperties(entry, filter, marks.get(entry.locator))
    const property = groupNames(entry.resource, names)[0]?.properties[0]
    if (property !== undefined) return { resource: entry.locator, property }
  }
  return undefined
}

/** All properties to show: defined ones, and values that no longer have a definition. */
export function propertyNames(resource: ConfigurationResource): string[] {
  return [...new Set([...Object.keys(resource.definitions), ...Object.keys(resource.properties)])]
}

/**
 * Where the saved value of a property comes from: somebody set it here, the installation took the default of its version,
 * or a plugin writes it; null if it has none.
 */
export function originOf(
  resource: ConfigurationResource,
  property: string,
): 'here' | 'default' | 'plugin' | null {
  const view = viewAt(resource, property)
  if (!isSet(view)) return null
  if (Object.hasOwn(resource.writtenBy, property)) return 'plugin'
  const manager = resource.managedBy?.[property]
  if (manager !== undefined) return isManagedBy(manager, 'default') ? 'default' : 'here'
  const value = valueOf(view)
  const standard = definitionOf(resource, property)?.default
  const isStandard = value?.['@type'] === 'Data' && standard !== undefined && deepEqual(value.value, standard)
  return isStandard ? 'default' : 'here'
}

export const countSet = (groups: readonly OutlineGroup[]): number =>
  groups
    .flatMap(({ resources }) => resources)
    .reduce(
      (sum, { resource, gone }) =>
        gone === undefined
          ? sum + propertyNames(resource).filter((name) => originOf(resource, name) === 'here').length
          : sum,
      0,
    )

export interface NameGroup {
  /** Empty for properties without a group. */
  name: string
  properties: string[]
}

/** Properties as the form shows them: ungrouped ones first, then groups, each by `order` and then by title. */
export function groupNames(resource: ConfigurationResource, names: readonly string[]): NameGroup[] {
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const definition = definitionOf(resource, name)
    if (definition === undefined) continue
    const key = definition.group ?? ''
    const list = groups.get(key) ?? []
    list.push(name)
    groups.set(key, list)
  }
  const orderOf = (name: string) => definitionOf(resource, name)?.order ?? Number.MAX_SAFE_INTEGER
  const titleOf = (name: string) => propertyTitle(definitionOf(resource, name), name)
  for (const list of groups.values())
    list.sort((a, b) => orderOf(a) - orderOf(b) || compareText(titleOf(a), titleOf(b)))
  return [...groups.entries()]
    .map(([name, properties]) => ({ name, properties }))
    .sort((a, b) => Number(a.name !== '') - Number(b.name !== '') || compareText(a.name, b.name))
}

/** Compares properties of one scope by their place on the page. */
export function byPlace(
  configuration: Configuration,
): (a: { locator: string; property: string }, b: { locator: string; property: string }) => number {
  const entries = groupResources(configuration).flatMap(({ resources }) => resources)
  const places = new Map<string, Map<string, number>>()
  const placeOf = ({ locator, property }: { locator: string; property: string }): [number, number] => {
    const at = entries.findIndex((entry) => entry.locator === locator)
    const resource = entries[at]?.resource
    if (resource === undefined) return [entries.length, 0]
    const names =
      places.get(locator) ??
      new Map(
        groupNames(resource, propertyNames(resource))
          .flatMap(({ properties }) => properties)
          .map((name, index) => [name, index]),
      )
    places.set(locator, names)
    return [at, names.get(property) ?? names.size]
  }
  return (a, b) => {
    const [[resourceA, propertyA], [resourceB, propertyB]] = [placeOf(a), placeOf(b)]
    return resourceA - resourceB || propertyA - propertyB
  }
}

/** Values without a definition, left over from an earlier version. */
export const leftovers = (resource: ConfigurationResource, names: readonly string[]): string[] =>
  names.filter((name) => definitionOf(resource, name) === undefined).toSorted()

export function definitionOf(
  resource: ConfigurationResource | undefined,
  property: string,
): PropertyDefinition | undefined {
  if (resource === undefined || !Object.hasOwn(resource.definitions, property)) return undefined
  return resource.definitions[property]
}
