import { useCallback, useSyncExternalStore } from 'react'
import { notifyManager, useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'

/**
 * How many entries of the lists that are shown now the console's server left out, because a newer runtime names something in them
 * that this console does not know (`bff/runtime/unknown-entries.ts`).
 */
export function useUnknownEntries(): number {
  const client = useQueryClient()
  const subscribe = useCallback(
    (listener: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(listener)),
    [client],
  )
  return useSyncExternalStore(subscribe, () => countOf(client))
}

const countOf = (client: QueryClient): number =>
  client
    .getQueryCache()
    .findAll({ type: 'active' })
    .reduce((sum, { state }) => sum + inAnswer(state.data), 0)

/** Answers have any form, and those of a list that grows are in `pages`. */
function inAnswer(answer: unknown): number {
  const { unknownEntries = 0, pages } = (answer ?? {}) as { unknownEntries?: number; pages?: unknown }
  return Array.isArray(pages) ? pages.reduce<number>((sum, page) => sum + inAnswer(page), 0) : unknownEntries
}
