import { useCallback, useSyncExternalStore } from 'react'
import { notifyManager, useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'

/**
 * Whether the console's server left out entries of the lists that are shown now, because a newer runtime names something in them
 * that this console does not know (`bff/runtime/unknown-entries.ts`). How many is not told: a page may read an entry in several
 * lists.
 */
export function useHasUnknownEntries(): boolean {
  const client = useQueryClient()
  const subscribe = useCallback(
    (listener: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(listener)),
    [client],
  )
  return useSyncExternalStore(subscribe, () => isAnyUnknown(client))
}

const isAnyUnknown = (client: QueryClient): boolean =>
  client
    .getQueryCache()
    .findAll({ type: 'active' })
    .some(({ state }) => hasUnknown(state.data))

/** Answers have any form, and those of a list that grows are in `pages`. */
function hasUnknown(answer: unknown): boolean {
  const { unknownEntries = 0, pages } = (answer ?? {}) as { unknownEntries?: number; pages?: unknown }
  return Array.isArray(pages) ? pages.some(hasUnknown) : unknownEntries > 0
}
