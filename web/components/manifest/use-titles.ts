import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiQuery } from '../../api/query.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { propertyTitle } from '../property-labels.ts'
import { locatorIn, type Manifest } from './writers.ts'

/** The title of a resource, or of one of its properties; undefined if it has none, or until it is known. */
export type TitleOf = (locator: string | null, property?: string) => string | undefined

/** Stable, so that titles are collected only when a manifest has loaded. */
const loaded = (results: readonly { data: Manifest | undefined }[]): readonly Manifest[] =>
  results.flatMap(({ data }) => data ?? [])

/**
 * The titles in these versions of a bundle. The first version that has a resource or a property names it. Without the
 * permission to read the manifests there are none.
 */
export function useTitles(
  bundle: { environmentKey: string; bundleId: string } | undefined,
  versions: readonly (string | null)[],
): TitleOf {
  const isStored = useAsOf() !== null
  const manifests = useQueries({
    queries:
      bundle === undefined || isStored
        ? []
        : [...new Set(versions)]
            .filter((version) => version !== null)
            .map((version) =>
              apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions/{version}', {
                params: { environmentKey: bundle.environmentKey, bundleId: bundle.bundleId, version },
              }),
            ),
    combine: loaded,
  })
  return useMemo(() => {
    const titles = new Map<string, string>()
    for (const manifest of manifests)
      for (const resource of manifest.resources) {
        const locator = locatorIn(manifest, resource)
        if (!titles.has(locator)) titles.set(locator, resource.title)
        for (const [property, definition] of Object.entries(resource.properties)) {
          const key = `${locator} ${property}`
          if (!titles.has(key)) titles.set(key, propertyTitle(definition, property))
        }
      }
    return (locator, property) =>
      titles.get(property === undefined ? (locator ?? '') : `${locator} ${property}`)
  }, [manifests])
}
