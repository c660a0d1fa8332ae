import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/client.ts'
import { invalidateEndpoints } from '../api/query.ts'

const READ_TRIES = 3

/** Events say what changed, so answers may be old; what failed for sure is not asked for again by itself. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askWhoIsSignedIn }),
  mutationCache: new MutationCache({ onError: askWhoIsSignedIn }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => error instanceof ApiError && error.isUncertain && failures < READ_TRIES,
      retryDelay: (failures) => Math.min(8000, 500 * 2 ** failures),
    },
    mutations: { retry: false },
  },
})

export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.code === 'AUTHENTICATION_REQUIRED'

/** Any 401 may mean that the session has ended; the query of the session knows. */
function askWhoIsSignedIn(error: unknown, asked?: unknown) {
  const isSession =
    typeof asked === 'object' && asked !== null && 'queryKey' in asked && isSessionKey(asked.queryKey)
  if (isSignedOut(error) && !isSession) void invalidateEndpoints(queryClient, ['GET /session'])
}

const isSessionKey = (key: unknown) => Array.isArray(key) && key[0] === 'GET /session'
