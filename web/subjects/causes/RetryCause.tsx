import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { causeFilters, type OperationsSearch } from '#contract/console-api/pages/operations.ts'
import type { Cause, Operation } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'
import { BATCH_TARGETS_MAX, NO_LIMITS } from '../batch/batch-limits.ts'
import { loadAll } from '../batch/load-all.ts'
import { OperationBatch } from './OperationBatch.tsx'

const NO_FILTERS: OperationsSearch = {}

/** Retries the operations of a cause that match the filters, as a batch that pauses after its first result, or takes them over. */
export function RetryCause({
  cause: { causeId, count, latest },
  search = NO_FILTERS,
  action = 'RETRY',
}: {
  cause: Cause
  search?: OperationsSearch
  action?: 'RETRY' | 'TAKEOVER'
}) {
  const t = useText()
  const mayRetry = useMay('operation:retry', 'anywhere')
  const mayTakeOver = useMay('operation:takeover', 'anywhere')
  const [targets, setTargets] = useState<readonly Operation[] | null>(null)
  const load = useMutation({
    mutationFn: () =>
      loadAll((page) => callApi('GET /operations', { query: { ...causeFilters(search), causeId, ...page } })),
    onSuccess: ({ rows, hasMore }) => {
      setTargets(rows)
      if (hasMore) showToast({ tone: 'info', text: t('selection.tooMany', { max: BATCH_TARGETS_MAX }) })
    },
    onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
  })
  const isRetry = action === 'RETRY'
  const never = isRetry && latest?.retryHelps === 'NEVER' && t('operations.cause.retryNever')
  const missing = isRetry
    ? !mayRetry && t('operations.causes.retry.permission')
    : !mayTakeOver && t('operations.cause.takeover.permission')
  return (
    <>
      <Button
        size="sm"
        icon={isRetry ? 'retry' : 'takenOver'}
        variant={isRetry ? 'secondary' : 'dangerQuiet'}
        busy={load.isPending}
        disabledReason={missing || never || null}
        onClick={() => load.mutate()}
      >
        {isRetry
          ? t(count === 1 ? 'operations.causes.retry.single' : 'operations.causes.retry')
          : t('operations.action.takeover')}
      </Button>
      {targets !== null && (
        <OperationBatch
          action={action}
          operations={targets}
          limits={{ ...NO_LIMITS, first: '1' }}
          onClose={() => setTargets(null)}
        />
      )}
    </>
  )
}
