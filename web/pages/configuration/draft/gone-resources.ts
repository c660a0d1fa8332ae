import type { Configuration, ConfigurationResource } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { allEdits, type Draft } from './draft.ts'
import { resourceName } from '../../../forms/property/property-labels.ts'
import { definitionOf } from './outline.ts'

/** Resources that are no longer in the scope and still have edits, as they were when the edits began. */
export type GoneResources = ReadonlyMap<string, ConfigurationResource>

const NOTHING: GoneResources = new Map()

/** The snapshot that the oldest edit of something gone began from; null if nothing is gone. */
export function goneSince(draft: Draft, { resources, snapshotVersion }: Configuration): number | null {
  const versions = allEdits(draft)
    .filter(({ locator, property, version, edit }) => {
      const isGone = definitionOf(resources[locator], property) === undefined && edit.kind !== 'removed'
      return isGone && version < snapshotVersion
    })
    .map(({ version }) => version)
  return versions.length === 0 ? null : Math.min(...versions)
}

/**
 * The resources with edits that are no longer in the configuration.
 *
 * @param before the configuration of the snapshot `goneSince`; undefined until it is loaded, or if it cannot be
 */
export function goneResources(
  draft: Draft,
  { resources }: Configuration,
  before: Configuration | undefined,
): GoneResources {
  const gone = Object.keys(draft).filter((locator) => !Object.hasOwn(resources, locator))
  if (gone.length === 0) return NOTHING
  return new Map(
    gone.map((locator) => [
      locator,
      before?.resources[locator] ?? unknownResource(locator, Object.keys(draft[locator] ?? {})),
    ]),
  )
}

const unknownResource = (locator: string, edited: readonly string[]): ConfigurationResource => ({
  bundleInstallId: '',
  kind: parseLocator(locator)?.kind ?? 'MODULE',
  title: resourceName(locator),
  properties: {},
  definitions: Object.fromEntries(edited.map((property) => [property, { kind: 'DATA', schema: true }])),
  writtenBy: {},
  claim: null,
})
