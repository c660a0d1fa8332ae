import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError, callApi } from './client.ts'
import type { Answer, Call, EndpointName } from './client.ts'
import { invalidateEndpoints } from './query.ts'

/** How long a write that the server has answered waits for the reads that it invalidates. */
const READS_MS = 3_000
const afterReads = () => new Promise<void>((resolve) => setTimeout(resolve, READS_MS))

type WriteName = Exclude<EndpointName, `GET ${string}` | `POST ${string}/plan`>

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
      try {
        const data = await callApi(name, call, { idempotencyKey: pending.current.key })
        pending.current = null
        return data
      } catch (error) {
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
