import { useMemo, useSyncExternalStore } from 'react'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import type { Configuration } from '#contract/console-api/shapes.ts'
import type { DraftStore } from './draft-store.ts'
import { groupResources, narrowGroups, type Filter, type Marks, type OutlineGroup } from './outline.ts'

export interface Selection {
  filter: Filter
  /** All resources, by installation. */
  all: readonly OutlineGroup[]
  /** Those that the filter leaves. */
  groups: readonly OutlineGroup[]
  /** The locator of the resource whose form is shown. */
  selected: string | undefined
  /** Whether the person chose it; otherwise it is the first one. */
  isChosen: boolean
}

/** Which resources the outline lists, and which one has its form shown. */
export function useSelection({
  configuration,
  search,
  store,
  marks,
}: {
  configuration: Configuration
  search: ConfigurationSearch
  store: DraftStore
  marks: ReadonlyMap<string, Marks>
}): Selection {
  const filter: Filter = useMemo(() => ({ q: search.q ?? '', show: search.show }), [search.q, search.show])
  const all = useMemo(() => groupResources(configuration), [configuration])
  const groups = useMemo(() => narrowGroups(all, filter, marks), [all, filter, marks])
  const isChosen = search.resource !== undefined && Object.hasOwn(configuration.resources, search.resource)
  // the focused form stays, even if another resource becomes the first
  const staying = useSyncExternalStore(store.subscribe, () => (isChosen ? undefined : store.activeLocator()))
  const selected = isChosen ? search.resource : (staying ?? groups[0]?.resources[0]?.locator)
  return { filter, all, groups, selected, isChosen }
}
