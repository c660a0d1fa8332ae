import { useQuery } from '@tanstack/react-query'
import type { Claim } from '#contract/console-api/shapes.ts'
import { callApi } from '../../../api/client.ts'

const NOTHING: ReadonlySet<string> = new Set()

/**
 * The properties of a resource that are saved and not applied yet. Nothing else can be saved while an operation holds
 * the installation, so they are the changes of that operation.
 */
export function useUnapplied(claim: Claim | null, locator: string): ReadonlySet<string> {
  const operationId = claim?.operationType === 'CONFIGURE' ? claim.operationId : null
  const { data } = useQuery({
    // not the query of the operation's page: the changes of an operation are fixed, while its attempts are not
    queryKey: ['changes of an operation', operationId] as const,
    queryFn: async ({ signal }) => {
      const params = { operationId: operationId ?? '' }
      return (await callApi('GET /operations/{operationId}', { params }, { signal })).changes
    },
    enabled: operationId !== null,
    staleTime: Infinity,
  })
  if (operationId === null || data === undefined) return NOTHING
  return new Set(data.filter((change) => change.locator === locator).map(({ property }) => property))
}
