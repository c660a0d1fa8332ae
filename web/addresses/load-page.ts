import type { QueryClient } from '@tanstack/react-query'
import { readsOf, type PagePath, type PageRead } from '#contract/console-api/pages/pages.ts'
import type { Raw } from '#contract/console-api/pages/search-params.ts'
import { mayAnywhere } from '#contract/endpoint/permission.ts'
import type { Answer } from '../api/client.ts'
import { apiQuery } from '../api/query.ts'

/** How long a page waits for its answers: a skeleton shown for a shorter time would flicker. */
const MAX_WAIT_MS = 100

interface PageMatch {
  context: { queryClient: QueryClient }
  params: object
  location: { search: object }
}

/**
 * The loader of a page's route: fetches the answers that its first render needs, in parallel with its code. A page waits
 * only briefly for them; it shows a skeleton for those that are missing.
 */
export async function loadPage(
  path: PagePath,
  { context: { queryClient }, params, location }: PageMatch,
): Promise<void> {
  const reads = readsOf(path, {
    // the router types the parameters per route
    params: params as Readonly<Record<string, string>>,
    search: location.search as Raw,
    now: Date.now(),
  })
  const grants =
    queryClient.getQueryData<Answer<'GET /session'>>(apiQuery('GET /session', {}).queryKey)?.grants ?? []
  const answers = reads
    .filter(({ needs }) => needs === undefined || mayAnywhere(grants, needs))
    .map((read) => queryClient.prefetchQuery(queryOf(read)))
  await Promise.race([Promise.all(answers), pause(MAX_WAIT_MS)])
}

/** Each read calls its own endpoint, which the union type of reads cannot express. */
const queryOf = ({ name, call }: PageRead) => apiQuery(name as 'GET /summary', call as object)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
