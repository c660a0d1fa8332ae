import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import type { Configuration, PropertyChange, Snapshot } from '#contract/console-api/shapes.ts'
import { callApi } from '../../../api/client.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { formatDate } from '../../../i18n/format.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { focusHome } from '../../../ui/keep-focus.ts'
import { REASON_MAX } from '../../../forms/fields/ReasonField.tsx'
import { EntriesSkeleton } from './HistorySkeleton.tsx'
import { HISTORY } from '../draft/endpoints.ts'
import { useEditor } from '../editor/editor-context.ts'
import { CompareScope } from './CompareScope.tsx'
import { CompareView } from './CompareView.tsx'
import { HistoryFilters } from './HistoryFilters.tsx'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { undo } from '../draft/restore.ts'
import { ScopeTimeline } from './ScopeTimeline.tsx'
import { SnapshotEntry } from './SnapshotEntry.tsx'
import { useRestore } from '../editor/use-restore.ts'
import { useTakeValue } from './use-take-value.ts'

const PAGE = 25

/** Every snapshot of the scope, newest first. */
export function HistoryTab({ search }: { search: ConfigurationSearch }) {
  const t = useText()
  const navigate = useNavigate()
  const { configuration, mayWrite } = useEditor()
  const take = useTakeValue()
  const { scope } = configuration
  const { changedIn: locator, changed: property, by: savedBy, since, until, from, to, with: other } = search
  const [isChoosing, setIsChoosing] = useState(false)
  const isComparing = isChoosing || other !== undefined
  const filter = omitUndefined({ locator, property, savedBy, since, until })
  const history = useHistory(scope, filter)
  const error = useErrorView(history.error)
  const go = (next: SearchChange<ConfigurationSearch>, replace = true) =>
    void navigate({ ...paths.configuration(scope, omitUndefined({ ...search, ...next })), replace })
  const snapshots = history.data?.pages.flatMap(({ items }) => items) ?? []
  const people = [...new Map(snapshots.map((one) => [one.savedBy.id, one.savedBy])).values()]
  // a comparison of scopes is no part of the history, and would push it far down
  if (isComparing) {
    return (
      <div {...focusHome('compare-other')}>
        <CompareScope
          other={other ?? null}
          onChoose={(chosen) => {
            setIsChoosing(true)
            go({ with: chosen ?? undefined }, false)
          }}
          onClose={() => {
            setIsChoosing(false)
            go({ with: undefined })
          }}
        />
      </div>
    )
  }
  return (
    <div {...focusHome()}>
      <ScopeTimeline scope={scope} range={search.range} onRange={(range) => go({ range })} />
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <HistoryFilters search={search} people={people} onChange={go} />
        <Button id="compare-scopes" icon="scopes" onClick={() => setIsChoosing(true)}>
          {t('configuration.compare.scopes')}
        </Button>
      </div>
      {from !== undefined && (
        <CompareView
          from={from}
          to={to}
          snapshots={snapshots}
          onCompare={(versions) => go(versions ?? { from: undefined, to: undefined })}
        />
      )}
      {history.isPending && <EntriesSkeleton />}
      {error !== null && history.data === undefined && (
        <ErrorState error={error} onRetry={() => void history.refetch()} retrying={history.isFetching} />
      )}
      {history.data !== undefined && snapshots.length === 0 && (
        <EmptyState
          icon="clock"
          title={t(
            Object.keys(filter).length === 0 ? 'configuration.history.empty' : 'common.list.filtered.title',
          )}
        />
      )}
      {byDay(snapshots).map(([day, ofDay]) => (
        <section key={ofDay[0]?.snapshotVersion} aria-label={day} className="mb-6">
          <h3 className="border-b border-line-strong pb-1.5 text-xs font-medium text-muted">{day}</h3>
          <ol className="divide-y divide-line">
            {ofDay.map((snapshot) => (
              <li key={snapshot.snapshotVersion} className="py-4">
                <SnapshotEntry
                  snapshot={snapshot}
                  onTake={
                    mayWrite
                      ? (change: PropertyChange) => take(change.locator, change.property, change.before)
                      : undefined
                  }
                  actions={
                    <SnapshotActions
                      snapshot={snapshot}
                      // a narrowed history contains only some of the changes of a save
                      isWhole={locator === undefined && property === undefined}
                      onCompare={() => {
                        go({ from: snapshot.snapshotVersion, to: undefined }, false)
                        document.getElementById('content')?.scrollIntoView({ block: 'start' })
                      }}
                    />
                  }
                />
              </li>
            ))}
          </ol>
        </section>
      ))}
      {history.hasNextPage && (
        <Button
          className="mt-2"
          busy={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {t('configuration.history.older')}
        </Button>
      )}
    </div>
  )
}

/** The snapshots that match the filter, page by page. */
function useHistory(
  scope: Configuration['scope'],
  filter: Pick<ConfigurationSearch, 'since' | 'until'> & {
    locator?: string
    property?: string
    savedBy?: string
  },
) {
  return useInfiniteQuery({
    queryKey: [HISTORY, { params: scope, pages: PAGE, filter }] as const,
    queryFn: ({ pageParam, signal }) =>
      callApi(
        HISTORY,
        {
          params: scope,
          query: { ...filter, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
}

/** A comparison of the snapshot with the current one, and the undo of its save. */
function SnapshotActions({
  snapshot,
  isWhole,
  onCompare,
}: {
  snapshot: Snapshot
  /** Whether all changes of the save are shown. */
  isWhole: boolean
  onCompare: () => void
}) {
  const t = useText()
  const { configuration, store, mayWrite } = useEditor()
  const restoreAll = useRestore()
  return (
    <>
      {snapshot.snapshotVersion !== configuration.snapshotVersion && (
        <Button size="sm" variant="quiet" onClick={onCompare}>
          {t('configuration.history.compare')}
        </Button>
      )}
      {mayWrite && isWhole && snapshot.cause === 'SAVE' && (
        <Button
          size="sm"
          icon="undo"
          onClick={() =>
            restoreAll(undo(snapshot, configuration, store.current()), undoTexts(snapshot, configuration, t))
          }
        >
          {t('configuration.history.undo')}
        </Button>
      )}
    </>
  )
}

/** The days of the snapshots, in their order, each with its snapshots. */
const byDay = (snapshots: readonly Snapshot[]) => [
  ...Map.groupBy(snapshots, ({ savedAt }) => formatDate(Date.parse(savedAt))),
]

/** What an undo is called. The reason of the save is left out if there is no room for it. */
function undoTexts({ snapshotVersion, reason }: Snapshot, { scope }: Configuration, t: Translate) {
  const version = String(snapshotVersion)
  const whole = t('configuration.history.undo.reason.of', { version, reason: reason ?? '' })
  return {
    title: t('changes.title.undo', { version, scope: scopeText(scope) }),
    reason:
      reason === null || whole.length > REASON_MAX
        ? t('configuration.history.undo.reason', { version })
        : whole,
  }
}
