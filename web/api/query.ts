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

/** Marks every query of these endpoints as out of date: deliberately coarse, so that nothing is forgotten. */
export function invalidateEndpoints(client: QueryClient, names: readonly EndpointName[]): Promise<void> {
  return client.invalidateQueries({ predicate: ({ queryKey }) => names.some((name) => name === queryKey[0]) })
}
