import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo, useState } from 'react'
import { batchCall, batchItemsCall } from '#contract/console-api/pages/batches.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { Batch, BatchItem } from '#contract/console-api/shapes.ts'
import { BATCH_ITEM_STATES, BATCH_PERMISSION } from '#contract/console-api/vocabulary.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { againOf, type Again } from '../../subjects/batch/again.ts'
import { loadAll } from '../../subjects/batch/load-all.ts'
import type { BatchTarget } from '../../subjects/batch/dialog/BatchDialog.tsx'
import { batchAction, batchTitle, batchVersions } from '../../subjects/batch/batch-title.ts'
import { totalOf } from '../../subjects/batch/batch-counts.ts'
import { BatchDuration, ProgressBar } from '../../subjects/batch/BatchProgress.tsx'
import { BatchValues } from '../../subjects/batch/BatchValues.tsx'
import { wavesText } from '../../subjects/batch/typed-waves.ts'
import { batchStateText, itemLook, lookOfBatch } from '../../subjects/batch/batch-looks.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { formatNumber } from '../../i18n/format.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Badge, Count } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { TellWhenOver } from '../../subjects/alerts/TellWhenOver.tsx'
import { BatchActions } from './BatchActions.tsx'
import { WaitingNotice, WaveSteps } from './WaveSteps.tsx'
import { itemColumns, operationOf } from './item-columns.tsx'
import { Card } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Time } from '../../ui/Time.tsx'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'
import { PHASES } from '../../ui/states.ts'
import { toneText } from '../../ui/tone.ts'

const route = getRouteApi('/batches/$id')
/** It belongs to the page of an operation, and few batches carry out a change request. */
const ChangeRequestLink = lazyPart(
  async () => (await import('../../subjects/change-requests/ChangeRequestLink.tsx')).ChangeRequestLink,
)

/** How often an unfinished batch is read; the results of operations arrive as events before. */
const POLL_MS = 2_000
/** The items that never started, and can be planned again: what was refused comes after the others, also in waves by size. */
const NOT_STARTED = ['SKIPPED', 'REFUSED'] as const

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
  const { batchId, state, because, stoppedBy, finishedAt } = batch
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
  const hasValues = items.data?.items.some(({ values }) => values.length > 0) === true
  const columns = useMemo(() => itemColumns(t, batch, hasValues), [t, batch, hasValues])
  const [failed, setFailed] = useState<BatchTarget[] | null>(null)
  const loadFailed = useMutation({
    mutationFn: () => failedTargets(batch),
    onSuccess: setFailed,
    onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
  })
  const [again, setAgain] = useState<Again | null>(null)
  const loadNotStarted = useMutation({
    mutationFn: async () => {
      const notStarted = await Promise.all(NOT_STARTED.map((state) => itemsIn(batchId, state)))
      return againOf(batch, notStarted.flat())
    },
    onSuccess: setAgain,
    onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
  })
  const may = useMay(BATCH_PERMISSION[batch.action], 'anywhere')
  const { action } = batch
  const notStarted = NOT_STARTED.reduce((sum, state) => sum + batch.counts[state], 0)
  return (
    <Page
      title={batchTitle(batch, t)}
      trail={[{ label: t('batches.title'), to: paths.batches() }]}
      state={<Badge {...lookOfBatch(batch)}>{batchStateText(batch, t)}</Badge>}
      meta={
        <>
          <span>{t(`selection.action.${batchAction(batch)}`)}</span>
          <span className="mono">{batchVersions(batch, t)}</span>
        </>
      }
      actions={
        <>
          {finishedAt === null && <TellWhenOver kind="batch" id={batchId} />}
          {(batch.counts.FAILED > 0 || (action === 'RETRY' && notStarted > 0)) && (
            <Button icon="retry" busy={loadFailed.isPending} onClick={() => loadFailed.mutate()}>
              {t('batches.retryFailed')}
            </Button>
          )}
          {notStarted > 0 && finishedAt !== null && action !== 'RETRY' && (
            <Button
              busy={loadNotStarted.isPending}
              disabledReason={!may && t('batches.permission')}
              onClick={() => loadNotStarted.mutate()}
            >
              {t('batches.again', { n: notStarted })}
            </Button>
          )}
          <BatchActions batch={batch} />
        </>
      }
      notice={
        because === null ? (
          <WaitingNotice batch={batch} />
        ) : (
          <Notice tone={state === 'PAUSED' ? 'warn' : 'info'} live>
            {because === 'PERSON' && stoppedBy !== undefined
              ? t('batches.because.PERSON.by', { person: stoppedBy.name })
              : t(`batches.because.${because}`)}
          </Notice>
        )
      }
    >
      <BatchFacts batch={batch} />
      <WaveSteps batch={batch} />
      {/* each wave has its own bar */}
      {batch.byWave === undefined && <ProgressBar counts={batch.counts} className="mb-2 h-2" />}
      {batch.phases !== undefined && (
        <Stages phases={batch.phases} isOver={finishedAt !== null || batch.waiting !== undefined} />
      )}
      <ResultFilter
        counts={batch.counts}
        value={search.state}
        onChange={(next) => void navigate({ search: omitUndefined({ state: next }), replace: true })}
      />
      {notStarted > 0 && finishedAt !== null && (
        <p className="mb-2 text-muted">
          {t(action === 'RETRY' ? 'batches.refused.retry' : 'batches.refused.others')}
        </p>
      )}
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
          <LazyBatchDialog action="RETRY" targets={failed} onClose={() => setFailed(null)} />
        </Suspense>
      )}
      {again !== null && (
        <Suspense>
          <LazyBatchDialog
            action={action}
            targets={again.targets}
            again={again}
            {...(again.install && { install: again.install })}
            onClose={() => setAgain(null)}
          />
        </Suspense>
      )}
    </Page>
  )
}

/**
 * The operations of all failed items, whatever the page shows; of a batch of retries, also those that were skipped, and those
 * that were refused because they had moved on: the new batch takes them as they are now.
 */
async function failedTargets({ batchId, action }: Batch): Promise<BatchTarget[]> {
  const [failed, skipped, refused] = await Promise.all([
    itemsIn(batchId, 'FAILED'),
    action === 'RETRY' ? itemsIn(batchId, 'SKIPPED') : [],
    action === 'RETRY' ? itemsIn(batchId, 'REFUSED') : [],
  ])
  return [...failed, ...skipped, ...refused.filter(hasMoved)].flatMap((item) => {
    const { scope, bundle, title, currentVersion: version } = item
    const id = operationOf(item, action)
    return id === undefined ? [] : [{ id, installation: { ...scope, bundle }, title, version }]
  })
}

/** All items with a result, whatever the page shows. */
async function itemsIn(batchId: string, state: BatchItem['state']): Promise<BatchItem[]> {
  const { rows } = await loadAll(async (page) => {
    const { items, next } = await callApi('GET /batches/{batchId}/items', {
      params: { batchId },
      query: { state, ...page },
    })
    return { items, nextCursor: next ?? null }
  })
  return rows
}

const hasMoved = ({ parameters }: BatchItem): boolean => parameters?.['reason'] === 'batchOperationMoved'

const rowKey = ({ target }: BatchItem) => target

/** What a batch does, for whom and within which limits. */
function BatchFacts({ batch }: { batch: Batch }) {
  const t = useText()
  const { input, first, concurrency, stopAfterFailures, waves, reason, requestedBy, createdAt, finishedAt } =
    batch
  return (
    <Card className="mb-5">
      <DefinitionList
        layout="facts"
        items={[
          input.targetVersion !== null && {
            label: t('batches.fact.version'),
            value: <Mono>{input.targetVersion}</Mono>,
          },
          { label: t('batches.fact.by'), value: requestedBy.name },
          { label: t('batches.fact.created'), value: <Time at={createdAt} /> },
          finishedAt !== null && { label: t('batches.fact.finished'), value: <Time at={finishedAt} /> },
          { label: t('batches.fact.duration'), value: <BatchDuration batch={batch} /> },
          first !== null && { label: t('batches.fact.first'), value: first },
          { label: t('batches.fact.concurrency'), value: concurrency },
          waves !== undefined && { label: t('batches.waves'), value: wavesText(waves, t), wide: true },
          stopAfterFailures !== null && { label: t('batches.fact.failures'), value: stopAfterFailures },
          batch.changeRequestId !== undefined && {
            label: t('changes.one'),
            value: (
              <Suspense>
                <ChangeRequestLink id={batch.changeRequestId} />
              </Suspense>
            ),
            wide: true,
          },
          reason !== null && { label: t('batches.fact.reason'), value: reason, wide: true },
          input.properties.length > 0 && {
            label: t('batches.fact.values'),
            wide: true,
            value: <BatchValues properties={input.properties} />,
          },
        ]}
      />
    </Card>
  )
}

/** How many operations are at each stage; if none is running, where those stand that did not come to the end. */
function Stages({ phases, isOver }: { phases: NonNullable<Batch['phases']>; isOver: boolean }) {
  const t = useText()
  const started = PHASES.reduce((sum, phase) => sum + phases[phase], 0)
  if (started === 0 || (isOver && started === phases.DONE)) return null
  return (
    <dl
      aria-label={t('batches.stages')}
      className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-1 text-xs text-muted"
    >
      {PHASES.map((phase) => (
        <div key={phase} className="flex items-center gap-1.5">
          <dt>{t(`vocabulary.phase.${phase}`)}</dt>
          <dd className={cx('font-semibold tabular-nums', phases[phase] > 0 && 'text-ink')}>
            {formatNumber(phases[phase])}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The number of items in each state; a press shows only these. */
function ResultFilter({
  counts,
  value,
  onChange,
}: {
  counts: Batch['counts']
  value: string | undefined
  onChange: (state: string | undefined) => void
}) {
  const t = useText()
  const choices = BATCH_ITEM_STATES.filter((state) => counts[state] > 0 || state === value)
  const press = 'inline-flex h-8 items-center gap-1.5 rounded-md border px-2.5'
  const look = (isOn: boolean) => cx(press, isOn ? 'border-ink bg-selected' : 'border-line hover:bg-hover')
  return (
    <div role="group" aria-label={t('batches.items.result')} className="mb-3 flex flex-wrap gap-2">
      <button
        type="button"
        aria-pressed={value === undefined}
        className={look(value === undefined)}
        onClick={() => onChange(undefined)}
      >
        {t('batches.filter.all')} <Count>{totalOf(counts)}</Count>
      </button>
      {choices.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={value === state}
          className={look(value === state)}
          onClick={() => onChange(value === state ? undefined : state)}
        >
          <Icon name={itemLook[state].icon} size={14} className={toneText[itemLook[state].tone]} />
          {t(`batches.item.${state}`)} <Count>{counts[state]}</Count>
        </button>
      ))}
    </div>
  )
}
