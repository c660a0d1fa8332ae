import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, notFound, type Router } from '@tanstack/react-router'
import { pages, type PagePath, readsOf, type PageRead } from '#contract/console-api/pages/pages.ts'
import {
  keepNotUnderstood,
  omitUndefined,
  text,
  whole,
  type Raw,
} from '#contract/console-api/pages/search-params.ts'
import { mayAnywhere } from '#contract/endpoint/permission.ts'
import type { Answer } from '../api/client.ts'
import { apiQuery } from '../api/query.ts'

export type RouterContext = { queryClient: QueryClient }

declare module '@tanstack/react-router' {
  interface Register {
    router: Router<typeof routeTree>
  }
  interface StaticDataRouteOption {
    path?: PagePath
  }
}

/** The frame around every page; `web/app/routes.tsx` gives it and each page their components. */
export const rootRoute = createRootRouteWithContext<RouterContext>()()

/** What the page understands of its search parameters, and unchanged what it has to name. */
function searchOf<const Path extends PagePath>(path: Path): (typeof pages)[Path]['search'] {
  const { search, filters } = pages[path]
  // returns in addition parameters that are named instead of the page
  return keepNotUnderstood(search, filters)
}

/** A workspace has one address: `/1e3` and `/01` are none. */
function requireWorkspace(params: object): void {
  // oxlint-disable-next-line typescript/only-throw-error -- the router's way to say so
  if ('workspace' in params && whole({ ...params }, 'workspace') === undefined) throw notFound()
}

const pageRoute = <const Path extends PagePath>(path: Path) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: searchOf(path),
    staticData: { path },
    loader: (match) => {
      requireWorkspace(match.params)
      return loadPage(path, match)
    },
  })

/** The route of each page; the table `pages` of the contract has its search parameters and what it reads first. */
// the proof of the cast: it has the keys of `pages`, each with the route of that path
export const pageRoutes = Object.fromEntries(
  (Object.keys(pages) as PagePath[]).map((path) => [path, pageRoute(path)]),
) as unknown as { [Path in PagePath]: ReturnType<typeof pageRoute<Path>> }

export const signedOutRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-out',
  validateSearch: (raw: Raw) => omitUndefined({ returnTo: text(raw, 'returnTo') }),
})

export const routeTree = rootRoute.addChildren({ ...pageRoutes, '/signed-out': signedOutRoute })

/** How long a page waits for its responses: a skeleton shown for a shorter time would flicker. */
const MAX_WAIT_MS = 100

interface PageMatch {
  context: { queryClient: QueryClient }
  params: object
  location: { search: object }
}

/**
 * The loader of a page's route: fetches the responses that its first render needs, in parallel with its code. A page waits
 * only briefly for them; it shows a skeleton for those that are missing.
 */
async function loadPage(
  path: PagePath,
  { context: { queryClient }, params, location }: PageMatch,
): Promise<void> {
  const session = queryClient.getQueryData<Answer<'GET /session'>>(apiQuery('GET /session', {}).queryKey)
  const reads = readsOf(path, {
    // the router types the parameters per route
    params: params as Readonly<Record<string, string>>,
    search: location.search as Raw,
    now: Date.now(),
    personId: session?.user.id ?? null,
  })
  const grants = session?.grants ?? []
  const answers = reads
    .filter(({ needs }) => needs === undefined || mayAnywhere(grants, needs))
    .map((read) => queryClient.prefetchQuery(queryOf(read)))
  await Promise.race([Promise.all(answers), pause(MAX_WAIT_MS)])
}

/** Each read calls its own endpoint, which the union type of reads cannot express. */
const queryOf = ({ name, call }: PageRead) => apiQuery(name as 'GET /summary', call as object)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
