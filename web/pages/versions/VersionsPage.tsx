import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { versionsCall, type VersionsSearch } from '#contract/console-api/pages/versions.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import type { InstalledVersions } from '#contract/console-api/shapes.ts'
import { scopeTarget, type InstalledBundle } from '../../subjects/batch/install-input.ts'
import type { BatchTarget } from '../../subjects/batch/dialog/BatchDialog.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { ListPager } from '../../ui/table/ListPager.tsx'
import { OutdatedNotice } from '../../ui/table/QueryTable.tsx'
import { ViewsMenu } from '../../subjects/views/ViewsMenu.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { useUpgradeTargets } from './use-upgrade-targets.ts'
import { VersionFilters } from './VersionFilters.tsx'
import { Legend, scopesWithout, VersionMatrix } from './VersionMatrix.tsx'

const route = getRouteApi('/versions')

/** The version of each bundle in each scope, and how many installations have each version. */
export function VersionsPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    ...apiQuery('GET /installed-versions/scopes', versionsCall(search)),
    placeholderData: keepPreviousData,
  })
  const error = useErrorView(query.error)
  const bundles = query.data?.bundles
  const { onIntent } = LazyBatchDialog
  const mayUpgrade = useMay('installation:upgrade', 'anywhere')
  const mayInstall = useMay('installation:install', 'anywhere')
  const [installing, setInstalling] = useState<{ install: InstalledBundle; targets: BatchTarget[] } | null>(
    null,
  )
  const startInstall = ({ bundle, title }: InstalledVersions) => {
    const install = { bundle, title }
    const missing = scopesWithout(query.data?.items ?? [], bundle)
    setInstalling({ install, targets: missing.map((one) => scopeTarget(one, install)) })
  }
  const [targets, setTargets] = useState<readonly BatchTarget[] | null>(null)
  const { cursor, bundleCursor, q, upgrade, ...scope } = search
  const load = useUpgradeTargets(scope, setTargets)
  const change = (next: SearchChange<VersionsSearch>) =>
    void navigate({ search: omitUndefined({ ...scope, q, upgrade, ...next }), replace: true, state: true })
  const isFiltered = Object.keys(omitUndefined({ ...scope, q, upgrade })).length > 0
  const clear = () => void navigate({ search: {} })
  return (
    <Page
      title={t('versions.title')}
      lead={t('versions.about')}
      actions={<ViewsMenu page="versions" search={search} />}
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <VersionFilters search={search} onChange={change} onClear={isFiltered && clear} />
      </div>
      <OutdatedNotice query={query} />
      {query.data === undefined || bundles === undefined ? (
        error ? (
          <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <SkeletonLines lines={8} />
        )
      ) : (
        <Card padded={false}>
          {bundles.items.length === 0 ? (
            <EmptyState
              icon={isFiltered ? 'filter' : 'installations'}
              title={t(isFiltered ? 'common.list.filtered.title' : 'versions.empty.title')}
              message={t(isFiltered ? 'common.list.filtered.message' : 'versions.empty.message')}
              action={isFiltered && <Button onClick={clear}>{t('common.clearFilters')}</Button>}
            />
          ) : (
            <VersionMatrix
              bundles={bundles.items}
              scopes={query.data.items}
              filter={scope}
              isStale={query.isPlaceholderData}
              upgrade={mayUpgrade && { loading: load.loading, start: load.start, onIntent }}
              upgradeOne={mayUpgrade && { start: (target) => setTargets([target]), onIntent }}
              install={mayInstall && { start: startInstall, onIntent }}
            />
          )}
          {(bundles.items.length > 0 || cursor !== undefined || bundleCursor !== undefined) && (
            <div className="space-y-2 border-t border-line px-4 py-2">
              {bundles.items.length > 0 && <Legend />}
              {(bundleCursor !== undefined || bundles.nextCursor !== null) && (
                <ListPager
                  page={bundles}
                  cursor={bundleCursor}
                  label={t('versions.pager.bundles')}
                  count={t('versions.bundles', { n: bundles.items.length })}
                  pageLink={(at) =>
                    paths.versions(omitUndefined({ ...search, cursor: undefined, bundleCursor: at }))
                  }
                />
              )}
              <ListPager
                page={query.data}
                cursor={cursor}
                label={t('versions.pager.scopes')}
                count={t('versions.scopes', { n: query.data.items.length })}
                pageLink={(at) => paths.versions(omitUndefined({ ...search, cursor: at }))}
              />
            </div>
          )}
        </Card>
      )}
      {installing !== null && (
        <Suspense>
          <LazyBatchDialog action="INSTALL" {...installing} onClose={() => setInstalling(null)} />
        </Suspense>
      )}
      {targets !== null && (
        <Suspense>
          <LazyBatchDialog action="UPGRADE" targets={targets} onClose={() => setTargets(null)} />
        </Suspense>
      )}
    </Page>
  )
}
