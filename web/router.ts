import { QueryCache, QueryClient } from '@tanstack/react-query'
import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { ApiError } from './api/client.ts'
import { invalidateEndpoints } from './api/query.ts'
import { CrashPage } from './layouts/CrashPage.tsx'
import { routeTree } from './routes.tsx'

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // one answer says that the session is gone: then the session is asked for, and what it says decides
    onError: (error, query) => {
      if (!(error instanceof ApiError) || error.problem.code !== 'AUTHENTICATION_REQUIRED') return
      if (query.queryKey[0] !== 'GET /session') void invalidateEndpoints(queryClient, ['GET /session'])
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.problem.retryable),
    },
  },
})

/** Addresses are read by people and pasted into tickets: plain `?state=FAILED&q=42`, no JSON and no quotes. */
const plain = (value: unknown) => String(value)

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadDelay: 60,
  // the queries know how old an answer may be
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: CrashPage,
  scrollRestoration: true,
  parseSearch: parseSearchWith((value) => value),
  stringifySearch: stringifySearchWith(plain),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
