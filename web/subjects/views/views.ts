import { auditSearch } from '#contract/console-api/pages/audit.ts'
import { batchesSearch } from '#contract/console-api/pages/batches.ts'
import { installationsSearch } from '#contract/console-api/pages/installations.ts'
import { operationsSearch } from '#contract/console-api/pages/operations.ts'
import { viewParameters, viewSearch, type ViewPage } from '#contract/console-api/pages/saved-views.ts'
import type { Raw } from '#contract/console-api/pages/search-params.ts'
import { versionsSearch } from '#contract/console-api/pages/versions.ts'
import type { SavedView } from '#contract/console-api/shapes.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import type { LinkTarget } from '../../ui/Link.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The view that the filters of the list come from. */
    viewId?: string
  }
}

/** Named filters of a page: ready-made, or saved by somebody. */
export type View = {
  id: string
  page: ViewPage
  name: string
  /** As {@link viewSearch} returns it. */
  search: string
  /** Null for a ready-made view. */
  saved: SavedView | null
}

const linkTo = {
  operations: (raw: Raw) => paths.operations(operationsSearch(raw)),
  installations: (raw: Raw) => paths.installations(installationsSearch(raw)),
  versions: (raw: Raw) => paths.versions(versionsSearch(raw)),
  batches: (raw: Raw) => paths.batches(batchesSearch(raw)),
  audit: (raw: Raw) => paths.audit(auditSearch(raw)),
} satisfies Record<ViewPage, (raw: Raw) => LinkTarget>

/** The address of a view. The list remembers which view it shows. */
export const viewLink = ({ page, search, id }: Pick<View, 'page' | 'search' | 'id'>): LinkTarget => ({
  ...linkTo[page](viewParameters(search) ?? {}),
  state: { viewId: id },
})

/** The views that need not be saved. `userId` is the person's, and `now` in milliseconds since 1970. */
export function readyMadeViews(
  t: Translate,
  { userId, now }: { userId: string | null; now: number },
): View[] {
  const today = new Date(now).setHours(0, 0, 0, 0)
  const operations = {
    needsSupport: { nextActor: 'SUPPORT' },
    ...(userId !== null && { mine: { assignee: userId } }),
    failedToday: { state: 'FAILED', since: new Date(today).toISOString() },
    unfinished: { state: 'PENDING,RUNNING,WAITING', until: 'PT1H' },
    lastDay: { since: 'PT24H' },
  }
  const installations = {
    needsRetry: { claim: 'FAILED' },
    upgradable: { state: 'ACTIVE', upgrade: 'available' },
    active: { state: 'ACTIVE' },
  }
  const ready = <Name extends string>(
    page: ViewPage,
    views: Partial<Record<Name, Readonly<Record<string, string>>>>,
    nameOf: (name: Name) => string,
  ): View[] =>
    // the keys of the record are its names
    (Object.keys(views) as Name[]).map((name) => ({
      id: `${page}.${name}`,
      page,
      name: nameOf(name),
      search: viewSearch(views[name] ?? {}),
      saved: null,
    }))
  return [
    ...ready('operations', operations, (name) => t(`views.operations.${name}`)),
    ...ready('installations', installations, (name) => t(`views.installations.${name}`)),
  ]
}

export const savedView = (saved: SavedView): View => ({
  id: saved.viewId,
  page: saved.page,
  name: saved.name,
  search: viewSearch(viewParameters(saved.search) ?? {}),
  saved,
})

/**
 * The view that a list shows. With other filters than when it was chosen, it is modified; filters that are those of
 * another view show that one.
 *
 * @param chosen the id of the view that was chosen last
 */
export function currentView(
  views: readonly View[],
  search: string,
  chosen: string | undefined,
): { view: View; isModified: boolean } | null {
  const last = views.find(({ id }) => id === chosen)
  const same = last?.search === search ? last : views.find((view) => view.search === search)
  if (same !== undefined) return { view: same, isModified: false }
  return last === undefined || search === '' ? null : { view: last, isModified: true }
}
