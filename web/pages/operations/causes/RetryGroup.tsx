import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { causeFilters, type OperationsSearch } from '#contract/console-api/pages/operations.ts'
import type { FailureGroup, Operation } from '#contract/console-api/shapes.ts'
import { callApi } from '../../../api/client.ts'
import { useMay } from '../../../api/session.ts'
import { BATCH_TARGETS_MAX, NO_LIMITS } from '../../../subjects/batch/batch-limits.ts'
import { loadAll } from '../../../subjects/batch/load-all.ts'
import { errorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { showToast } from '../../../ui/toast.ts'
import { OperationBatch } from './OperationBatch.tsx'

/** Retries the operations of a group that match the filters, as a batch that pauses after its first result. */
export function RetryGroup({
  group: { key, count },
  search,
}: {
  group: FailureGroup
  search: OperationsSearch
}) {
  const t = useText()
  const mayRetry = useMay('operation:retry', 'anywhere')
  const [targets, setTargets] = useState<readonly Operation[] | null>(null)
  const load = useMutation({
    mutationFn: () =>
      loadAll((page) =>
        callApi('GET /operations', { query: { ...causeFilters(search), failureGroup: key, ...page } }),
      ),
    onSuccess: ({ rows, hasMore }) => {
      setTargets(rows)
      if (hasMore) showToast({ tone: 'info', text: t('selection.tooMany', { max: BATCH_TARGETS_MAX }) })
    },
    onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
  })
  return (
    <>
      <Button
        size="sm"
        icon="retry"
        busy={load.isPending}
        disabledReason={mayRetry ? null : t('operations.causes.retry.permission')}
        onClick={() => load.mutate()}
      >
        {t(count === 1 ? 'operations.causes.retry.single' : 'operations.causes.retry')}
      </Button>
      {targets !== null && (
        <OperationBatch
          action="RETRY"
          operations={targets}
          limits={{ ...NO_LIMITS, first: '1' }}
          onClose={() => setTargets(null)}
        />
      )}
    </>
  )
}
