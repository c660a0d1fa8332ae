import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { schemaTitle } from '#contract/json-schema/references.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { manifestQuery } from './manifest-query.ts'
import { locatorIn, type Manifest } from './writers.ts'

/** The title of a resource, or of one of its properties; undefined if it has none, or until it is known. */
export type TitleOf = (locator: string | null, property?: string) => string | undefined

/**
 * The titles of these changes in a version of a bundle. What that lacks has its title in the earlier version, which is read
 * only then. Without the permission to read the manifests there are none.
 */
export function useTitles(
  changes: readonly { locator: string; property: string }[],
  bundle: { environmentKey: string; bundleId: string } | undefined,
  { targetVersion, currentVersion }: { targetVersion: string | null; currentVersion: string | null },
): TitleOf {
  const isWanted = changes.length > 0
  const target = useManifest(bundle, isWanted ? targetVersion : null)
  const ofTarget = useMemo(() => titlesIn(target), [target])
  const isLacking =
    targetVersion === null ||
    (target !== undefined && changes.some(({ locator, property }) => !ofTarget.has(keyOf(locator, property))))
  const current = useManifest(bundle, isWanted && isLacking ? currentVersion : null)
  return useMemo(() => {
    const titles = new Map([...titlesIn(current), ...ofTarget])
    return (locator, property) => titles.get(keyOf(locator ?? '', property))
  }, [current, ofTarget])
}

const keyOf = (locator: string, property?: string): string =>
  property === undefined ? locator : `${locator} ${property}`

function titlesIn(manifest: Manifest | undefined): Map<string, string> {
  const titles = new Map<string, string>()
  if (manifest === undefined) return titles
  for (const resource of manifest.resources) {
    const locator = locatorIn(manifest, resource)
    titles.set(locator, resource.title)
    for (const [property, { schema }] of Object.entries(resource.properties))
      titles.set(keyOf(locator, property), schemaTitle(schema) ?? property)
  }
  return titles
}

/** Undefined for a stored document, and until it is read. */
function useManifest(bundle: Parameters<typeof useTitles>[1], version: string | null) {
  const isStored = useAsOf() !== null
  const { environmentKey = '', bundleId = '' } = bundle ?? {}
  const { data } = useQuery({
    ...manifestQuery({ environmentKey, bundleId, version: version ?? '' }),
    enabled: bundle !== undefined && version !== null && !isStored,
  })
  return data
}
