import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { BATCH_STATES } from '#contract/console-api/vocabulary.ts'
import { batchesCall } from '#contract/console-api/pages/batches.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { Batch } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { batchTitle, batchVersions } from '../../subjects/batch/batch-title.ts'
import { BatchDuration, BatchProgress } from '../../subjects/batch/BatchProgress.tsx'
import { batchLook, batchStateText, lookOfBatch } from '../../subjects/batch/batch-looks.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { ViewsMenu } from '../../subjects/views/ViewsMenu.tsx'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Badge } from '../../ui/Badge.tsx'
import { ChoiceFilter } from '../../ui/filters/ChoiceFilter.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Time } from '../../ui/Time.tsx'

const route = getRouteApi('/batches')

/** Batches, newest first. */
export function BatchesPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    ...apiQuery('GET /batches', batchesCall(search)),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isUnfinished) === true ? 2_000 : false),
  })
  const columns = useMemo(() => columnsOf(t), [t])
  const clear = search.state !== undefined && (() => void navigate({ search: {} }))
  return (
    <Page title={t('batches.title')} actions={<ViewsMenu page="batches" search={search} />}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterBar onClear={clear}>
          <ChoiceFilter
            label={t('batches.state.filter')}
            value={search.state}
            choices={BATCH_STATES.map((state) => ({
              value: state,
              label: t(`batches.state.${state}`),
              ...batchLook[state],
            }))}
            onChange={(state) =>
              void navigate({ search: omitUndefined({ state }), replace: true, state: true })
            }
          />
        </FilterBar>
      </div>
      <QueryTable
        label={t('batches.list')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        lines={2}
        cursor={search.cursor}
        pageLink={(cursor) => paths.batches(omitUndefined({ ...search, cursor }))}
        onClear={clear}
        empty={
          <EmptyState
            icon="batches"
            title={t('batches.empty.title')}
            message={t('batches.empty.message')}
            action={
              <LinkButton to={paths.installations()} icon="installations">
                {t('batches.empty.action')}
              </LinkButton>
            }
          />
        }
      />
    </Page>
  )
}

const isUnfinished = ({ finishedAt }: Batch) => finishedAt === null
const rowKey = ({ batchId }: Batch) => batchId
const rowLink = ({ batchId }: Batch) => paths.batch(batchId)

const columnsOf = (t: Translate): Column<Batch>[] => [
  {
    id: 'title',
    header: t('batches.column.title'),
    cell: (batch) => (
      <span className="block">
        <span className="block wrap-anywhere whitespace-normal">{batchTitle(batch, t)}</span>
        <span className="mono block text-xs text-muted">{batchVersions(batch, t)}</span>
      </span>
    ),
  },
  {
    id: 'state',
    header: t('batches.column.state'),
    width: '11.5rem',
    card: 'plain',
    cell: (batch) => (
      <Badge look="plain" {...lookOfBatch(batch)}>
        {batchStateText(batch, t)}
      </Badge>
    ),
  },
  {
    id: 'progress',
    header: t('batches.column.progress'),
    width: 'clamp(10rem, 20cqi, 14rem)',
    card: 'line',
    cell: ({ counts }) => <BatchProgress counts={counts} />,
  },
  {
    id: 'duration',
    header: t('batches.column.duration'),
    width: '7rem',
    align: 'end',
    hideBelow: 'lg',
    cell: (batch) => <BatchDuration batch={batch} />,
  },
  {
    id: 'by',
    header: t('batches.column.by'),
    width: '9rem',
    hideBelow: 'md',
    card: 'plain',
    cell: ({ requestedBy }) => requestedBy.name,
  },
  {
    id: 'at',
    header: t('batches.column.at'),
    width: '8rem',
    card: 'plain',
    cell: ({ createdAt }) => <Time at={createdAt} inRow className="text-muted" />,
  },
]
