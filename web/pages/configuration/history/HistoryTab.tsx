import { useInfiniteQuery } from '@tanstack/react-query'
import type { PropertyChange } from '#contract/console-api/shapes.ts'
import { callApi } from '../../../api/client.ts'
import { useErrorView } from '../../../components/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { HISTORY } from '../endpoints.ts'
import { useEditor } from '../editor/editor-context.ts'
import { SnapshotEntry } from './SnapshotEntry.tsx'
import { useTakeValue } from './use-take-value.ts'

const PAGE = 25

/** Every snapshot of the scope, newest first. */
export function HistoryTab() {
  const t = useText()
  const { configuration, mayWrite } = useEditor()
  const take = useTakeValue()
  const { scope } = configuration
  const history = useInfiniteQuery({
    queryKey: [HISTORY, { params: scope, pages: PAGE }] as const,
    queryFn: ({ pageParam, signal }) =>
      callApi(
        HISTORY,
        { params: scope, query: { limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const error = useErrorView(history.error)
  if (history.isPending) return <SkeletonLines lines={9} />
  if (history.data === undefined) {
    return (
      error && (
        <ErrorState error={error} onRetry={() => void history.refetch()} retrying={history.isFetching} />
      )
    )
  }
  const snapshots = history.data.pages.flatMap(({ items }) => items)
  if (snapshots.length === 0) return <EmptyState icon="clock" title={t('configuration.history.empty')} />
  return (
    <div className="max-w-5xl">
      <ol className="divide-y divide-line">
        {snapshots.map((snapshot) => (
          <li key={snapshot.snapshotVersion} className="py-4 first:pt-0">
            <SnapshotEntry
              snapshot={snapshot}
              onTake={
                mayWrite
                  ? (change: PropertyChange) => take(change.locator, change.property, change.before)
                  : undefined
              }
            />
          </li>
        ))}
      </ol>
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
