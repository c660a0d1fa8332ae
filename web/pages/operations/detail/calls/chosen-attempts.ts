import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { OperationDetail, Attempt } from '#contract/console-api/shapes.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { apiQuery } from '../../../../api/query.ts'
import { useErrorView, type ErrorView } from '../../../../i18n/describe-code.ts'
import { attemptCount } from './timeline.ts'

/** Attempts that are loaded together, so that stepping through them needs few requests. */
const PAGE = 50

export type Loading = { error: ErrorView | null; isFetching: boolean; retry: () => void }

/**
 * The operation with the chosen attempt. A response has the first and the last attempts of each call; a chosen attempt
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

/** One attempt by its number. */
type AttemptName = { stage: Stage; pluginId: string; attempt: number }

/** The chosen attempt, if it exists and the operation's response leaves it out. */
export function missingAttempt(
  operation: OperationDetail,
  { stage, plugin, attempt }: OperationSearch,
): AttemptName | null {
  if (attempt === undefined || (stage === undefined && plugin === undefined)) return null
  const [named] = operation.stages
    .filter((candidate) => stage === undefined || candidate.stage === stage)
    .flatMap((of) =>
      of.calls
        .filter(({ pluginId }) => plugin === undefined || pluginId === plugin)
        .map((call) => ({ stage: of.stage, call })),
    )
  if (!named || attempt < 1 || attempt > attemptCount(named.call)) return null
  if (named.call.attempts.some((loaded) => loaded.attempt === attempt)) return null
  return { stage: named.stage, pluginId: named.call.pluginId, attempt }
}

/** The operation with more attempts of one call. */
export function withAttempts(
  operation: OperationDetail,
  { stage, pluginId }: AttemptName,
  attempts: readonly Attempt[],
): OperationDetail {
  return {
    ...operation,
    stages: operation.stages.map((of) => ({
      ...of,
      calls: of.calls.map((call) => {
        if (of.stage !== stage || call.pluginId !== pluginId) return call
        // the response of the operation is the newer one
        const all = new Map([...attempts, ...call.attempts].map((attempt) => [attempt.attempt, attempt]))
        return { ...call, attempts: [...all.values()].sort((a, b) => a.attempt - b.attempt) }
      }),
    })),
  }
}
