import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { versionsCall, type VersionsSearch } from '#contract/console-api/pages/versions.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import type { BatchTarget } from '../../subjects/batch/dialog/BatchDialog.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { ListPager } from '../../ui/table/ListPager.tsx'
import { ViewsMenu } from '../../subjects/views/ViewsMenu.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { cx } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { BundleVersions } from './BundleVersions.tsx'
import { useUpgradeTargets } from './use-upgrade-targets.ts'
import { VersionFilters } from './VersionFilters.tsx'

const route = getRouteApi('/versions')

/** The upgrade matrix: for each bundle, how many installations have each version. */
export function VersionsPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    ...apiQuery('GET /installed-versions', versionsCall(search)),
    placeholderData: keepPreviousData,
  })
  const error = useErrorView(query.error)
  const mayUpgrade = useMay('installation:upgrade', 'anywhere')
  const [targets, setTargets] = useState<readonly BatchTarget[] | null>(null)
  const { cursor, q, upgrade, ...scope } = search
  const load = useUpgradeTargets(scope, setTargets)
  const change = (next: SearchChange<VersionsSearch>) =>
    void navigate({ search: omitUndefined({ ...scope, q, upgrade, ...next }), replace: true, state: true })
  const isFiltered = Object.keys({ ...search, cursor }).length > 1
  const clear = () => void navigate({ search: {} })
  return (
    <Page title={t('versions.title')} meta={<p>{t('versions.about')}</p>}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <VersionFilters search={search} onChange={change} onClear={isFiltered && clear} />
        <ViewsMenu page="versions" search={search} />
      </div>
      {query.data === undefined ? (
        error ? (
          <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <SkeletonLines lines={8} />
        )
      ) : (
        <Card padded={false} className="@container">
          {query.data.items.length === 0 ? (
            <EmptyState
              icon={isFiltered ? 'filter' : 'installations'}
              title={t(isFiltered ? 'common.list.filtered.title' : 'versions.empty.title')}
              message={t(isFiltered ? 'common.list.filtered.message' : 'versions.empty.message')}
              action={isFiltered && <Button onClick={clear}>{t('common.clearFilters')}</Button>}
            />
          ) : (
            <ul
              aria-label={t('versions.list')}
              aria-busy={query.isPlaceholderData || undefined}
              className={cx('divide-y divide-line', query.isPlaceholderData && 'opacity-55')}
            >
              {query.data.items.map((item) => (
                <li key={`${item.bundle.environmentKey}/${item.bundle.bundleId}`}>
                  <BundleVersions
                    item={item}
                    scope={scope}
                    upgrade={
                      mayUpgrade && {
                        loading: load.loading,
                        start: load.start,
                        onIntent: LazyBatchDialog.onIntent,
                      }
                    }
                  />
                </li>
              ))}
            </ul>
          )}
          <div className="border-t border-line px-4 py-2">
            <ListPager
              page={query.data}
              cursor={cursor}
              pageLink={(at) => paths.versions(omitUndefined({ ...search, cursor: at }))}
            />
          </div>
        </Card>
      )}
      {targets !== null && (
        <Suspense>
          <LazyBatchDialog action="UPGRADE" targets={targets} onClose={() => setTargets(null)} />
        </Suspense>
      )}
    </Page>
  )
}
