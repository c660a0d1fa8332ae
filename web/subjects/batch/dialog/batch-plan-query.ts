import { queryOptions } from '@tanstack/react-query'
import { callApi, type Call } from '../../../api/client.ts'

const PLAN = 'POST /batches/plan'

/** The plan of a batch; disabled while the request is incomplete. */
export const batchPlanQuery = (body: Call<typeof PLAN>['body'] | null) =>
  queryOptions({
    queryKey: [PLAN, body] as const,
    queryFn: ({ signal }) => {
      if (body === null) throw new TypeError('A plan needs a request')
      return callApi(PLAN, { body }, { signal })
    },
    // it may contain values that must not outlive the dialog
    gcTime: 0,
    staleTime: 0,
    enabled: body !== null,
  })
