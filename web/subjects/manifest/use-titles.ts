import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { propertyTitle } from '../../forms/property/property-labels.ts'
import { useAsOf } from '../../ui/as-of.ts'
import { manifestQuery } from './manifest-query.ts'
import { locatorIn, type Manifest } from './writers.ts'

/** What resources and properties are called; undefined if they have no title, or until it is known. */
export interface Titles {
  /** Of a resource, or of one of its properties. */
  titleOf: (locator: string | null, property?: string) => string | undefined
  /** For the titles inside its values. */
  definitionOf: (locator: string | null, property: string) => PropertyDefinition | undefined
}

/**
 * The titles of these changes in a version of a bundle. What that lacks has its title in the earlier version, which is read
 * only then. Without the permission to read the manifests there are none.
 */
export function useTitles(
  changes: readonly { locator: string; property: string }[],
  bundle: { environmentKey: string; bundleId: string } | undefined,
  { targetVersion, currentVersion }: { targetVersion: string | null; currentVersion: string | null },
): Titles {
  const isWanted = changes.length > 0
  const target = useManifest(bundle, isWanted ? targetVersion : null)
  const ofTarget = useMemo(() => definedIn(target), [target])
  const isLacking =
    targetVersion === null ||
    (target !== undefined && changes.some(({ locator, property }) => !ofTarget.has(keyOf(locator, property))))
  const current = useManifest(bundle, isWanted && isLacking ? currentVersion : null)
  return useMemo(() => titlesOf([definedIn(current), ofTarget]), [current, ofTarget])
}

/** The titles in these versions of bundles, each version once; the later ones have precedence. */
export function useTitlesIn(versions: readonly Parameters<typeof manifestQuery>[0][]): Titles {
  const isStored = useAsOf() !== null
  const manifests = useQueries({
    queries: versions.map((version) => ({ ...manifestQuery(version), enabled: !isStored })),
    combine: dataOf,
  })
  return useMemo(() => titlesOf(manifests.map(definedIn)), [manifests])
}

const dataOf = (results: readonly { data: Manifest | undefined }[]) => results.map(({ data }) => data)

/** Of several versions; the later ones have precedence. */
function titlesOf(versions: readonly Map<string, Defined>[]): Titles {
  const defined = new Map(versions.flatMap((version) => [...version]))
  return {
    titleOf: (locator, property) => defined.get(keyOf(locator ?? '', property))?.title,
    definitionOf: (locator, property) => defined.get(keyOf(locator ?? '', property))?.definition,
  }
}

const keyOf = (locator: string, property?: string): string =>
  property === undefined ? locator : `${locator} ${property}`

type Defined = { title: string; definition?: PropertyDefinition }

function definedIn(manifest: Manifest | undefined): Map<string, Defined> {
  const defined = new Map<string, Defined>()
  if (manifest === undefined) return defined
  for (const resource of manifest.resources) {
    const locator = locatorIn(manifest, resource)
    defined.set(locator, { title: resource.title })
    for (const [property, definition] of Object.entries(resource.properties))
      defined.set(keyOf(locator, property), {
        title: propertyTitle(definition, property),
        definition,
      })
  }
  return defined
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
