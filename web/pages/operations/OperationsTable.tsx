import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import {
  operationsCall,
  operationsTotalCall,
  type OperationsSearch,
} from '#contract/console-api/pages/operations.ts'
import { OPERATION_SORTS, OPERATIONS_TOTAL_MAX } from '#contract/console-api/vocabulary.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import type { Operation } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay, useSession } from '../../api/session.ts'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { useListSelection } from '../../subjects/batch/use-list-selection.tsx'
import { resumeBatch, type InterruptedBatch } from '../../subjects/sign-in/interrupted-action.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { searchReadingText } from '../../subjects/operations/search-reading.ts'
import { operationName } from '../../subjects/operations/operation-texts.ts'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { formatLocalTime } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { emptyColumns, operationColumns } from './operation-columns.tsx'
import { OperationBatch } from '../../subjects/causes/OperationBatch.tsx'
import { AssignSelected } from './AssignSelected.tsx'

/** The operations that match the filters; failed ones can be selected and retried together. */
export function OperationsTable({
  search,
  onChange,
  onClear,
}: {
  search: OperationsSearch
  onChange: (next: SearchChange<OperationsSearch>) => void
  onClear: (() => void) | false
}) {
  const t = useText()
  const query = useQuery({
    ...apiQuery('GET /operations', operationsCall(search)),
    placeholderData: keepPreviousData,
  })
  const { cursor, sort = OPERATION_SORTS[0] } = search
  const searchedTo = query.data?.searchedTo
  // while the next page loads, the last one is shown: it was read otherwise
  const reading = query.isPlaceholderData ? undefined : query.data?.search
  const said = reading && searchReadingText(reading, t)
  const counted = useQuery({
    ...apiQuery('GET /operations/total', operationsTotalCall(search)),
    // one page says it itself
    enabled: cursor !== undefined || (query.data?.nextCursor ?? null) !== null,
  }).data
  // while a page is loading, nothing is known of its columns
  const empty = query.data === undefined ? '' : emptyColumns(query.data.items)
  const columns = useMemo(() => operationColumns(t, sort, empty), [t, sort, empty])
  const mayRetry = useMay('operation:retry', 'anywhere')
  const mayTakeOver = useMay('operation:takeover', 'anywhere')
  const mayAnnotate = useMay('operation:annotate', 'anywhere')
  const nameOf = useCallback(
    (operation: Operation) =>
      `${operationName(operation, t)} ${scopeText(operation.installation)} ${operation.operationId}`,
    [t],
  )
  const selection = useListSelection({
    keyOf: rowKey,
    nameOf,
    loadPage: (page) => {
      const { cursor: _, limit: __, ...filters } = operationsCall(search).query
      return callApi('GET /operations', { query: { ...omitUndefined(filters), ...page } })
    },
  })
  const [action, setAction] = useState<'RETRY' | 'TAKEOVER' | null>(null)
  const [interrupted, setInterrupted] = useState<InterruptedBatch | null>(null)
  useInterruptedBatch(setInterrupted)
  const failed = selection.rows.filter(({ state }) => state === 'FAILED')
  return (
    <>
      {said && (
        <Notice tone="info" live className="mb-3">
          {said}
        </Notice>
      )}
      <QueryTable
        label={t('operations.list.label')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        sort={sort}
        onSort={(next) => onChange({ sort: OPERATION_SORTS.find((known) => known === next) })}
        cursor={cursor}
        pageLink={(at) => ({ ...paths.operations(omitUndefined({ ...search, cursor: at })), state: true })}
        total={counted && t(totalKey(counted), { n: counted.total })}
        partial={
          searchedTo === undefined
            ? undefined
            : t('operations.list.searchedTo', { time: formatLocalTime(Date.parse(searchedTo)) })
        }
        onClear={onClear}
        selection={mayRetry || mayTakeOver || mayAnnotate ? selection.table : undefined}
        skeletonRows={12}
        lines={2}
        empty={
          <EmptyState
            icon="operations"
            title={t('operations.list.empty')}
            message={t('operations.list.empty.message')}
          />
        }
      />
      {selection.bar(
        <>
          {mayAnnotate && <AssignSelected operations={selection.rows} />}
          {mayRetry && (
            <Button
              icon="retry"
              disabledReason={failed.length === 0 && t('selection.noneFailed')}
              onClick={() => setAction('RETRY')}
            >
              {t('selection.action.RETRY')}
            </Button>
          )}
          {mayTakeOver && (
            <Button
              variant="dangerQuiet"
              disabledReason={failed.length === 0 && t('selection.noneFailed')}
              onClick={() => setAction('TAKEOVER')}
            >
              {t('selection.action.TAKEOVER')}
            </Button>
          )}
        </>,
      )}
      {action !== null && (
        <OperationBatch action={action} operations={failed} onClose={() => setAction(null)} />
      )}
      {interrupted !== null && (
        <Suspense>
          <LazyBatchDialog
            action="TAKEOVER"
            targets={interrupted.targets}
            limits={interrupted.limits}
            interrupted={interrupted}
            onClose={() => setInterrupted(null)}
          />
        </Suspense>
      )}
    </>
  )
}

/** Opens the batch of takeovers that the person left to sign in again. Its plan is made again, and it is confirmed again. */
function useInterruptedBatch(onResume: (batch: InterruptedBatch) => void) {
  const personId = useSession().data?.user.id
  useEffect(() => {
    const resumed = personId === undefined ? null : resumeBatch(personId)
    if (resumed !== null) onResume(resumed)
  }, [personId, onResume])
}

const totalKey = ({ total, isMore }: { total: number; isMore: boolean }) => {
  if (!isMore) return 'operations.list.total'
  return total === OPERATIONS_TOTAL_MAX ? 'operations.list.totalMore' : 'operations.list.totalAtLeast'
}

const rowKey = ({ operationId }: Operation) => operationId
const rowLink = ({ operationId }: Operation) => paths.operation(operationId)
