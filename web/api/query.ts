import type { QueryClient } from '@tanstack/react-query'
import { callApi, type Answer, type Call, type EndpointName, ApiError } from './client.ts'

type ReadName = Extract<EndpointName, `GET ${string}`> | Extract<EndpointName, `POST ${string}/plan`>

/** Written out, because the inferred type would list every endpoint. */
export interface ApiQuery<Name extends ReadName> {
  queryKey: readonly [Name, Call<Name>]
  queryFn: (context: { signal: AbortSignal }) => Promise<Answer<Name>>
}

/** The query of an endpoint. Its key is the endpoint's name and the call, so that events can invalidate it. */
export function apiQuery<Name extends ReadName>(name: Name, call: Call<Name>): ApiQuery<Name> {
  return { queryKey: [name, call], queryFn: ({ signal }) => callApi(name, call, { signal }) }
}

/**
 * Invalidates every query of these endpoints; deliberately coarse, so that none is forgotten. The query client
 * does not restart a first request that is in progress, whose response may be out of date, so this refetches it.
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

/** Lists that no event announces are read again after this time, while their page is visible. */
export const FOLLOW_MS = 5_000
/** What keeps the platform from working is looked for after this time, on every page. */
export const TROUBLES_MS = 15_000
/** While no events arrive, everything that a visible page shows is read again after this time. */
export const READ_AGAIN_MS = 30_000
/** A page that shows an outage, or that too many requests were sent, refetches after this time. */
const OUTAGE_MS = 10_000

/** The interval of a query that failed: only an outage, or a limit of requests, ends without the person. */
export const refetchAfterOutage = (error: unknown): number | false =>
  error instanceof ApiError && (error.isUncertain || error.problem.code === 'RATE_LIMITED')
    ? OUTAGE_MS
    : false

/** The interval of a query that is read again after `ms`, unless it failed. */
export const followInterval = (error: unknown, ms: number): number | false =>
  error === null ? ms : refetchAfterOutage(error)
