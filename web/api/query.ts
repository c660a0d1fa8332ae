import { queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { callApi } from './client.ts'
import type { Call, EndpointName } from './client.ts'

type ReadName = Extract<EndpointName, `GET ${string}`> | Extract<EndpointName, `POST ${string}/plan`>

/** The query of an endpoint: its key is the endpoint's name and the call, so that events can find it. */
export function apiQuery<Name extends ReadName>(name: Name, call: Call<Name>) {
  return queryOptions({
    queryKey: [name, call] as const,
    queryFn: ({ signal }) => callApi(name, call, { signal }),
  })
}

/**
 * Marks every query of these endpoints as out of date: deliberately coarse, so that nothing is forgotten. A first request
 * that is under way is not begun anew by the client, and may be answered with what was true before; it is asked once more.
 */
export async function invalidateEndpoints(
  client: QueryClient,
  names: readonly EndpointName[],
): Promise<void> {
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) =>
    names.some((name) => name === queryKey[0])
  const first = client
    .getQueryCache()
    .findAll({ predicate, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined)
  await client.invalidateQueries({ predicate })
  await Promise.all(first.map(({ queryKey }) => client.invalidateQueries({ queryKey, exact: true })))
}
