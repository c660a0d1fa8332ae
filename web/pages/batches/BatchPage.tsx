import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo, useState } from 'react'
import { batchCall, batchItemsCall } from '#contract/console-api/pages/batches.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { Batch, BatchItem } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { loadAll } from '../../subjects/batch/load-all.ts'
import type { BatchTarget } from '../../subjects/batch/dialog/BatchDialog.tsx'
import { batchAction, batchTitle, batchVersions } from '../../subjects/batch/batch-title.ts'
import { batchLook } from '../../subjects/batch/batch-looks.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { BatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { BatchActions } from './BatchActions.tsx'
import { BatchFacts } from './BatchFacts.tsx'
import { itemColumns } from './item-columns.tsx'
import { ResultFilter } from './ResultFilter.tsx'

const route = getRouteApi('/batches/$id')

/** How often an unfinished batch is read; the results of operations arrive as events before. */
const POLL_MS = 2_000

/** One batch, live: what it does, how far it is, and the result of each item. */
export function BatchPage() {
  const t = useText()
  const { id } = route.useParams()
  const query = useQuery({
    ...apiQuery('GET /batches/{batchId}', batchCall(id)),
    refetchInterval: ({ state }) => (state.data?.finishedAt === null ? POLL_MS : false),
  })
  if (!query.data) {
    return <PendingPage id={id} trail={[{ label: t('batches.title'), to: paths.batches() }]} query={query} />
  }
  return <Shown batch={query.data} />
}

function Shown({ batch }: { batch: Batch }) {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { batchId, state, because, finishedAt } = batch
  const items = useQuery({
    ...apiQuery('GET /batches/{batchId}/items', batchItemsCall(batchId, search)),
    placeholderData: keepPreviousData,
    refetchInterval: finishedAt === null ? POLL_MS : false,
    select: ({ items: shown, next }) => ({ items: shown, nextCursor: next ?? null }),
  })
  const { refetch } = items
  // the items may have been read before their last results, and nothing reads them again once the batch has finished
  useEffect(() => {
    if (finishedAt !== null) void refetch()
  }, [finishedAt, refetch])
  const columns = useMemo(() => itemColumns(t), [t])
  const [failed, setFailed] = useState<BatchTarget[] | null>(null)
  const loadFailed = useMutation({
    mutationFn: () => failedTargets(batchId),
    onSuccess: setFailed,
    onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
  })
  return (
    <Page
      title={batchTitle(batch, t)}
      trail={[{ label: t('batches.title'), to: paths.batches() }]}
      meta={
        <>
          <Badge {...batchLook[state]}>{t(`batches.state.${state}`)}</Badge>
          <span>{t(`selection.action.${batchAction(batch)}`)}</span>
          <span className="mono">{batchVersions(batch, t)}</span>
        </>
      }
      actions={
        <>
          {batch.counts.FAILED > 0 && (
            <Button icon="retry" busy={loadFailed.isPending} onClick={() => loadFailed.mutate()}>
              {t('batches.retryFailed')}
            </Button>
          )}
          <BatchActions batch={batch} />
        </>
      }
      notice={
        because !== null && (
          <Notice tone={state === 'PAUSED' ? 'warn' : 'info'} live>
            {t(`batches.because.${because}`)}
          </Notice>
        )
      }
    >
      <BatchFacts batch={batch} />
      <ResultFilter
        counts={batch.counts}
        value={search.state}
        onChange={(next) => void navigate({ search: omitUndefined({ state: next }), replace: true })}
      />
      <QueryTable
        label={t('batches.items')}
        query={items}
        columns={columns}
        rowKey={rowKey}
        cursor={search.cursor}
        pageLink={(cursor) => paths.batch(batchId, omitUndefined({ ...search, cursor }))}
        empty={<EmptyState icon="batches" title={t('batches.items.none')} />}
      />
      {failed !== null && (
        <Suspense>
          <BatchDialog action="RETRY" targets={failed} onClose={() => setFailed(null)} />
        </Suspense>
      )}
    </Page>
  )
}

/** The operations of all failed items, whatever the page shows. */
async function failedTargets(batchId: string): Promise<BatchTarget[]> {
  const { rows } = await loadAll(async (page) => {
    const { items, next } = await callApi('GET /batches/{batchId}/items', {
      params: { batchId },
      query: { state: 'FAILED', ...page },
    })
    return { items, nextCursor: next ?? null }
  })
  return rows.flatMap(({ operationId, installation, title, currentVersion }) =>
    operationId === undefined ? [] : [{ id: operationId, installation, title, version: currentVersion }],
  )
}

const rowKey = ({ target }: BatchItem) => target
