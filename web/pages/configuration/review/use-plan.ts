import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Configuration, Plan } from '#contract/console-api/shapes.ts'
import { callApi } from '../../../api/client.ts'
import { invalidateEndpoints } from '../../../api/query.ts'
import { changesOf, countEdits, type Draft } from '../draft/draft.ts'
import { CONFIGURATION, PLAN } from '../draft/endpoints.ts'

/** `restart` gives up a request that hangs and sends a new one. */
export type PlanState = UseQueryResult<Plan> & { restart: () => void }

/** What a save of the draft would do; fetched again whenever the draft, the snapshot or a claim changes. */
export function usePlan({
  configuration,
  draft,
  isReady,
}: {
  configuration: Configuration
  draft: Draft
  isReady: boolean
}): PlanState {
  const client = useQueryClient()
  const { scope, snapshotVersion } = configuration
  const claims = Object.keys(draft)
    .map((locator) => configuration.resources[locator]?.claim)
    .map((claim) => (claim ? `${claim.operationId} ${claim.state}` : '-'))
    .join()
  const call = { params: scope, body: { snapshotVersion, changes: changesOf(draft) } }
  const plan = useQuery({
    queryKey: [PLAN, call, claims] as const,
    queryFn: ({ signal }) => callApi(PLAN, call, { signal }),
    enabled: isReady && countEdits(draft) > 0,
    // the old plan stays on the screen while it is fetched again; nothing can be saved until then
    ...(countEdits(draft) > 0 && { placeholderData: keepPreviousData }),
    // a plan may contain sensitive values, so it is discarded as soon as it is not shown
    gcTime: 0,
    staleTime: 0,
  })
  const isStale = plan.data?.stale === true
  useEffect(() => {
    if (isStale) void invalidateEndpoints(client, [CONFIGURATION])
  }, [client, isStale])
  return {
    ...plan,
    restart: () => void client.cancelQueries({ queryKey: [PLAN] }).then(() => plan.refetch()),
  }
}
