import { useQueries } from '@tanstack/react-query'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { callApi } from '../../../api/client.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'
import type { CurrentValue } from '../each-target.ts'

/** By target and property. */
type Values = ReadonlyMap<string, PropertyView | null>

/** The values of properties in the targets of a batch. */
interface CurrentValues {
  values: Values
  isLoading: boolean
}

const keyOf = (target: string, { locator, property }: PropertyPlace): string =>
  `${target} ${locator} ${property}`

/** The value of a property in a target; undefined if it is not known. */
export function currentValue(
  { values, isLoading }: CurrentValues,
  target: string,
  place: PropertyPlace,
): CurrentValue {
  const value = values.get(keyOf(target, place))
  return value === undefined && isLoading ? 'loading' : value
}

/** A property, and the targets that have it under this locator. */
export interface AskedProperty extends PropertyPlace {
  targets: readonly string[]
}

const PAGE = 200
/** Other installations of the bundle are read on the way to the targets; after this many pages, the rest stays unknown. */
const PAGES_MAX = 10

/** The value that each target has now, so that it is seen before one of its own is entered. */
export function useCurrentValues(asked: readonly AskedProperty[]): CurrentValues {
  return useQueries({
    queries: asked.map((one) => ({
      queryKey: ['GET /properties', 'of targets', one] as const,
      queryFn: ({ signal }: { signal: AbortSignal }) => valuesOf(one, signal),
      // it may contain values that must not outlive the dialog
      gcTime: 0,
      staleTime: Infinity,
    })),
    combine: joined,
  })
}

const joined = (results: readonly { data: Values | undefined; isLoading: boolean }[]): CurrentValues => ({
  values: new Map(results.flatMap(({ data }) => [...(data ?? [])])),
  isLoading: results.some(({ isLoading }) => isLoading),
})

async function valuesOf(
  { targets, ...place }: AskedProperty,
  signal: AbortSignal,
): Promise<Map<string, PropertyView | null>> {
  const wanted = new Set(targets)
  const values = new Map<string, PropertyView | null>()
  const resource = parseLocator(place.locator)
  if (resource === null) return values
  const { environmentKey, bundleId, kind, name } = resource
  const property = { bundleEnvironmentKey: environmentKey, bundleId, kind, resource: name }
  let cursor: string | null = null
  for (let page = 0; page < PAGES_MAX && wanted.size > 0; page++) {
    const query: Parameters<typeof callApi<'GET /properties'>>[1]['query'] = {
      ...property,
      property: place.property,
      limit: PAGE,
      ...(cursor !== null && { cursor }),
    }
    const { items, nextCursor } = await callApi('GET /properties', { query }, { signal })
    for (const { installation, value } of items)
      if (wanted.delete(installation.bundleInstallId))
        values.set(keyOf(installation.bundleInstallId, place), value)
    if (nextCursor === null) break
    cursor = nextCursor
  }
  return values
}
