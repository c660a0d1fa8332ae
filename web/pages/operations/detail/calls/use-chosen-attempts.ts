import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../../api/query.ts'
import { useErrorView, type ErrorView } from '../../../../i18n/describe-code.ts'
import { missingAttempt, withAttempts } from './loaded-attempts.ts'

/** Attempts that are loaded together, so that stepping through them needs few requests. */
const PAGE = 50

export type Loading = { error: ErrorView | null; isFetching: boolean; retry: () => void }

/**
 * The operation with the chosen attempt. An answer has the first and the last attempts of each call; a chosen attempt
 * between them is loaded with those beside it. `loading` is null when it is there.
 */
export function useChosenAttempts(
  answer: OperationDetail,
  choice: OperationSearch,
): { operation: OperationDetail; loading: Loading | null } {
  const missing = missingAttempt(answer, choice)
  const { stage, pluginId, attempt } = missing ?? { stage: 'BEFORE_RESOURCES', pluginId: '', attempt: 1 }
  const query = useQuery({
    ...apiQuery('GET /operations/{operationId}/attempts', {
      params: { operationId: answer.operationId },
      query: { stage, pluginId, from: attempt - ((attempt - 1) % PAGE), limit: PAGE },
    }),
    enabled: missing !== null,
  })
  const error = useErrorView(query.error)
  const loaded = missing === null ? undefined : query.data
  const operation = useMemo(
    () => (loaded ? withAttempts(answer, { stage, pluginId, attempt }, loaded.items) : answer),
    [answer, loaded, stage, pluginId, attempt],
  )
  const isLoading = missing !== null && loaded === undefined
  return {
    operation,
    loading: isLoading ? { error, isFetching: query.isFetching, retry: () => void query.refetch() } : null,
  }
}
