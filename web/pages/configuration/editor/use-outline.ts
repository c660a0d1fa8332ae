import { useMemo, useSyncExternalStore } from 'react'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import type { Configuration } from '#contract/console-api/shapes.ts'
import type { DraftStore } from '../draft/draft-store.ts'
import type { GoneResources } from '../draft/gone-resources.ts'
import { groupResources, narrowGroups, type Filter, type Marks, type OutlineGroup } from '../draft/outline.ts'

/** What the outline lists, and the resource whose form is shown. */
export interface OutlineState {
  filter: Filter
  /** All resources by installation, and those that the filter shows. */
  all: readonly OutlineGroup[]
  groups: readonly OutlineGroup[]
  selected: string | undefined
  /** Whether the address names it. Otherwise it is merely the first, and a phone shows only the list. */
  isChosen: boolean
}

export function useOutline({
  configuration,
  gone,
  search,
  marks,
  store,
}: {
  configuration: Configuration
  gone: GoneResources
  search: ConfigurationSearch
  marks: ReadonlyMap<string, Marks>
  store: DraftStore
}): OutlineState {
  const filter: Filter = useMemo(() => ({ q: search.q ?? '', show: search.show }), [search.q, search.show])
  const all = useMemo(() => groupResources(configuration, gone), [configuration, gone])
  const groups = useMemo(() => narrowGroups(all, filter, marks), [all, filter, marks])
  const { resource } = search
  const isChosen =
    resource !== undefined && (Object.hasOwn(configuration.resources, resource) || gone.has(resource))
  // the focused form stays, even if another resource becomes the first
  const staying = useSyncExternalStore(store.subscribe, () => (isChosen ? undefined : store.activeLocator()))
  const selected = isChosen ? resource : (staying ?? groups[0]?.resources[0]?.locator)
  return { filter, all, groups, selected, isChosen }
}
