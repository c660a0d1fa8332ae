import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { schemaTitle } from '#contract/json-schema/schema-title.ts'
import { apiQuery } from '../../api/query.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { locatorIn } from './writers.ts'

/** The title of a resource, or of one of its properties; undefined if it has none, or until it is known. */
export type TitleOf = (locator: string | null, property?: string) => string | undefined

/**
 * The titles in a version of a bundle and, for what that lacks, in the earlier one. Without the permission to read the
 * manifests there are none.
 */
export function useTitles(
  bundle: { environmentKey: string; bundleId: string } | undefined,
  { targetVersion, currentVersion }: { targetVersion: string | null; currentVersion: string | null },
): TitleOf {
  const target = useManifest(bundle, targetVersion)
  const current = useManifest(bundle, currentVersion)
  return useMemo(() => {
    const titles = new Map<string, string>()
    for (const manifest of [target, current].filter((known) => known !== undefined))
      for (const resource of manifest.resources) {
        const locator = locatorIn(manifest, resource)
        if (!titles.has(locator)) titles.set(locator, resource.title)
        for (const [property, { schema }] of Object.entries(resource.properties)) {
          const key = `${locator} ${property}`
          if (!titles.has(key)) titles.set(key, schemaTitle(schema) ?? property)
        }
      }
    return (locator, property) =>
      titles.get(property === undefined ? (locator ?? '') : `${locator} ${property}`)
  }, [target, current])
}

/** Undefined for a stored document, and until it is read. */
function useManifest(bundle: Parameters<typeof useTitles>[0], version: string | null) {
  const isStored = useAsOf() !== null
  const { environmentKey = '', bundleId = '' } = bundle ?? {}
  const { data } = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions/{version}', {
      params: { environmentKey, bundleId, version: version ?? '' },
    }),
    enabled: bundle !== undefined && version !== null && !isStored,
  })
  return data
}
