import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import type { Bundle } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Time } from '../../ui/Time.tsx'
import { catalogCall, type CatalogSearch } from '#contract/console-api/pages/catalog.ts'

/** With the forms, which the list does without. */
const PublishDialog = lazyPart(async () => (await import('./PublishDialog.tsx')).PublishDialog)

const route = getRouteApi('/catalog')

export function CatalogPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [publishing, setPublishing] = useState(false)
  const query = useQuery({
    ...apiQuery('GET /bundles', catalogCall(search)),
    placeholderData: keepPreviousData,
  })
  const columns = useMemo(() => bundleColumns(t), [t])
  const mayPublish = useMay('catalog:write', 'anywhere')
  const { cursor, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: SearchChange<CatalogSearch>) =>
    void navigate({ search: omitUndefined({ ...filters, ...next }), replace: true })
  const clear = () => void navigate({ search: {} })
  return (
    <Page
      title={t('catalog.title')}
      actions={
        <Button
          variant="primary"
          icon="plus"
          disabledReason={!mayPublish && t('catalog.reason.publish')}
          {...PublishDialog.onIntent}
          onClick={() => setPublishing(true)}
        >
          {t('catalog.publish')}
        </Button>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBar onClear={isFiltered && clear}>
          <SearchInput
            label={t('catalog.search')}
            value={search.q ?? ''}
            onSearch={(q) => change({ q: q || undefined })}
          />
          <TextFilters
            label={t('catalog.column.environment')}
            onChange={change}
            filters={[
              {
                name: 'environmentKey',
                label: t('catalog.column.environment'),
                value: search.environmentKey,
                suggestions: [...new Set(query.data?.items.map(({ bundle }) => bundle.environmentKey))],
              },
            ]}
          />
        </FilterBar>
      </div>
      <QueryTable
        label={t('catalog.list')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        lines={2}
        cursor={cursor}
        pageLink={(at) => paths.catalog(omitUndefined({ ...search, cursor: at }))}
        onClear={isFiltered && clear}
        empty={
          <EmptyState icon="catalog" title={t('catalog.empty.title')} message={t('catalog.empty.message')} />
        }
      />
      {publishing && (
        <Suspense>
          <PublishDialog onClose={() => setPublishing(false)} />
        </Suspense>
      )}
    </Page>
  )
}

const rowKey = ({ bundle }: Bundle) => `${bundle.environmentKey}/${bundle.bundleId}`
const rowLink = ({ bundle, latest }: Bundle) =>
  paths.bundleVersion({ env: bundle.environmentKey, bundle: bundle.bundleId, version: latest.version })

const bundleColumns = (t: Translate): Column<Bundle>[] => [
  {
    id: 'bundle',
    header: t('catalog.column.bundle'),
    cell: ({ title, bundle }) => (
      <>
        {title} <span className="mono ml-1 font-normal text-faint">{bundle.bundleId}</span>
      </>
    ),
    width: 'max(14rem, 24cqi)',
  },
  {
    id: 'about',
    header: t('catalog.column.about'),
    cell: ({ description }) =>
      description === null ? (
        <Nothing />
      ) : (
        <span className="line-clamp-2 whitespace-normal text-muted">{description}</span>
      ),
    card: 'line',
    hideBelow: 'lg',
  },
  {
    id: 'environment',
    header: t('catalog.column.environment'),
    cell: ({ bundle }) => <Mono>{bundle.environmentKey}</Mono>,
    width: '7.5rem',
    hideBelow: 'md',
  },
  {
    id: 'latest',
    header: t('catalog.column.latest'),
    cell: ({ latest }) => <Mono>{latest.version}</Mono>,
    width: '8rem',
  },
  {
    id: 'versions',
    header: t('catalog.column.versions'),
    cell: ({ versions }) => versions,
    align: 'end',
    width: '6.5rem',
  },
  {
    id: 'published',
    header: t('catalog.column.published'),
    cell: ({ latest }) => <Time at={latest.publishedAt} inRow className="text-muted" />,
    width: '8rem',
  },
]
