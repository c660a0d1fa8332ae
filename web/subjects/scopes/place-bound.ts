import { availableServicesCall } from '#contract/console-api/pages/services.ts'
import type { Configuration, PropertyView } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { isReference, referencedServices } from '#contract/protocol/data.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { callApi, type Answer } from '../../api/client.ts'
import { schemaOf } from '../../forms/property/control-kind.ts'
import { valueOf } from '../../forms/property/property-value.ts'
import { scopeText } from './scope-text.ts'

/**
 * Why a value belongs to the place that it comes from: it is a domain or another address of a gateway, it contains such a domain or the
 * name of the scope, it refers to a service that the target may not use or that belongs to the other place, or a plugin issued it.
 */
export type Bound = 'domain' | 'address' | 'service' | 'issued'

export type PlacedValue = { locator: string; property: string; value: PropertyView | null }
export type ArrivingValue = PlacedValue & { bound: Bound | null }

/** What knows the definitions of properties: a configuration, or the resources of a manifest. */
type Defined = {
  resources: Readonly<Record<string, { definitions: Readonly<Record<string, PropertyDefinition>> }>>
}

/** The formats that say where a gateway is reached. */
const ADDRESSES = new Set(['hostname', 'idn-hostname', 'ipv4', 'ipv6', 'uri', 'iri'])

/**
 * Values of another place, each with the reason why it stays there unless a person ticks it.
 *
 * @param from The scope that they come from; null if it is unknown.
 * @param source The configuration that they come from, if it is known.
 * @param usable The services that the target may refer to.
 */
export function placeBound(
  values: readonly PlacedValue[],
  target: Defined,
  { from, source, usable }: { from: Scope | null; source: Configuration | null; usable: ReadonlySet<string> },
): ArrivingValue[] {
  const isAddress = ({ locator, property }: PlacedValue) =>
    parseLocator(locator)?.kind === 'GATEWAY' &&
    [target, source].some((one) => {
      const definitions = one?.resources[locator]?.definitions ?? {}
      return Object.hasOwn(definitions, property) && hasAddress(definitions[property])
    })
  const domains = values.filter(isAddress).flatMap(({ value }) => textsIn(dataOf(value)))
  const names = [...domains.filter((text) => text.includes('.')), ...(from === null ? [] : [scopeText(from)])]
  const words = names.map((name) => name.toLowerCase())
  const boundTo = (given: PlacedValue): Bound | null => {
    const { locator, property, value } = given
    const at = source?.resources[locator]
    if (at !== undefined && Object.hasOwn(at.writtenBy, property)) return 'issued'
    if (at?.managedBy?.[property]?.startsWith('plugin:') === true) return 'issued'
    if (isAddress(given)) return 'domain'
    if (servicesIn([given]).some((service) => !usable.has(service))) return 'service'
    return textsIn(dataOf(value)).some((text) => words.some((word) => contains(text.toLowerCase(), word)))
      ? 'address'
      : null
  }
  return values.map((value) => ({ ...value, bound: boundTo(value) }))
}

/** The services that values refer to. */
export const servicesIn = (values: readonly PlacedValue[]): string[] => [
  ...new Set(
    values.flatMap(({ value: view }) => {
      const value = valueOf(view)
      return value !== null && isReference(value) ? referencedServices(value) : []
    }),
  ),
]

/**
 * Those of the services that a scope may refer to, without those that installations of the source own.
 *
 * @throws ApiError if the services cannot be read.
 */
export async function usableServices(
  services: readonly string[],
  scope: Scope,
  source: Configuration | null,
): Promise<ReadonlySet<string>> {
  const usable = new Set<string>()
  const foreign = new Set(Object.values(source?.resources ?? {}).map((one) => one.bundleInstallId))
  for (let cursor: string | null = services.length === 0 ? null : ''; cursor !== null;) {
    const { query } = availableServicesCall(scope)
    const page: Answer<'GET /services'> = await callApi('GET /services', {
      query: { ...query, ...(cursor !== '' && { cursor }) },
    })
    for (const { serviceId, enabled, owner } of page.items)
      if (enabled && !foreign.has(owner?.bundleInstallId ?? '')) usable.add(serviceId)
    cursor = services.every((service) => usable.has(service)) ? null : page.nextCursor
  }
  return usable
}

function hasAddress(definition: PropertyDefinition | undefined): boolean {
  if (definition === undefined) return false
  const search = (schema: JsonValue): boolean =>
    typeof schema === 'object' &&
    schema !== null &&
    (Array.isArray(schema)
      ? schema.some(search)
      : (typeof schema['format'] === 'string' && ADDRESSES.has(schema['format'])) ||
        Object.values(schema).some(search))
  return search(schemaOf(definition))
}

const dataOf = (view: PropertyView | null): JsonValue => {
  const value = valueOf(view)
  return value?.['@type'] === 'Data' ? value.value : null
}

/** Whether a text contains a name, alone or as the end of a longer domain. */
function contains(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const end = at + name.length
    const isWhole =
      !/[a-z0-9-]/.test(text.slice(Math.max(0, at - 1), at)) &&
      !/^\.?[a-z0-9-]/.test(text.slice(end, end + 2))
    if (isWhole) return true
  }
  return false
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
