import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useSyncExternalStore } from 'react'
import { ApiError, callApi, type Answer, type Call, type EndpointName } from './client.ts'
import { invalidateEndpoints } from './query.ts'

/** How long a write that the server has answered waits for the reads that it invalidates. */
const READS_MS = 3_000
const afterReads = () => new Promise<void>((resolve) => setTimeout(resolve, READS_MS))

type WriteName = Exclude<EndpointName, `GET ${string}` | `POST ${string}/plan`>

/** What became of the last write. `refused` includes that nothing was written because the request was not valid. */
export type WriteResult = { state: 'pending' | 'done' | 'refused' | 'unknown'; at: number }

let lastWrite: WriteResult | null = null
const listeners = new Set<() => void>()

function record(state: WriteResult['state']): void {
  lastWrite = { state, at: Date.now() }
  for (const listener of listeners) listener()
}

/** What became of the last write of this tab, so that a page that fails can say it; null before the first one. */
export const useLastWrite = (): WriteResult | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => lastWrite,
  )

/**
 * Writes through one endpoint. A write without a final result keeps its idempotency key: sending it again
 * returns its result and never executes it twice. A changed request, or the next one after a final result, gets
 * a new key.
 */
export function useWrite<Name extends WriteName>(
  name: Name,
  options: { invalidates?: readonly EndpointName[] } = {},
) {
  const client = useQueryClient()
  const pending = useRef<{ request: string; key: string } | null>(null)
  return useMutation<Answer<Name>, ApiError, Call<Name>>({
    mutationFn: async (call) => {
      const request = JSON.stringify(call)
      if (pending.current?.request !== request) pending.current = { request, key: crypto.randomUUID() }
      record('pending')
      try {
        const data = await callApi(name, call, { idempotencyKey: pending.current.key })
        pending.current = null
        record('done')
        return data
      } catch (error) {
        record(error instanceof ApiError && error.isDecided ? 'refused' : 'unknown')
        if (!(error instanceof ApiError) || error.isDecided) pending.current = null
        throw error
      }
    },
    onSettled: (_, error) => {
      const invalidated = invalidateEndpoints(client, options.invalidates ?? [])
      // the page behind the form is current when the form closes or shows why it was refused, if its reads are fast
      return error === null || error.isDecided ? Promise.race([invalidated, afterReads()]) : undefined
    },
  })
}
