import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, type Answer, type EndpointName } from '../api/client.ts'
import { invalidateEndpoints, FOLLOW_MS, followInterval, refetchAfterOutage } from '../api/query.ts'

const RECENT_MS = 2_000

// the events are of scopes, and these belong to none; docs/decisions/0004-events.md
const WITHOUT_EVENTS: ReadonlySet<unknown> = new Set<EndpointName>([
  'GET /bundles',
  'GET /bundles/{environmentKey}/{bundleId}/versions',
  'GET /plugins',
  'GET /plugins/{pluginId}',
  'GET /plugins/{pluginId}/health',
  'GET /plugins/{pluginId}/calls',
  'GET /plugins/{pluginId}/reports',
  'GET /pauses',
  'GET /services',
  'GET /services/{serviceId}',
  'GET /change-requests',
  'GET /change-requests/waiting',
  'GET /change-requests/{changeRequestId}',
  'GET /change-requests/{changeRequestId}/plan',
  'GET /change-policies',
  'GET /audit',
  // changes of plugins, services and policies
  'GET /operations/{operationId}/context',
  // what time or a batch brings
  'GET /inbox',
  'GET /inbox/unread',
  'GET /webhooks',
  'GET /webhooks/{webhookId}/deliveries',
  'GET /sessions',
  'GET /sessions/everyone',
  'GET /service-accounts',
  'GET /freezes',
  'GET /calendar',
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions',
])

/**
 * Events invalidate responses, so these may be cached. Queries do not retry: `callApi` and the console's server do. Requests are
 * sent even if the browser believes that it is offline. Otherwise they would wait without a word, and a save would be sent
 * whenever the network comes back.
 *
 * What differs by endpoint is in these functions: with `setQueryDefaults`, each render of each query compares its key with every
 * entry.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: refetchSessionIfSignedOut }),
  mutationCache: new MutationCache({ onError: refetchSessionIfSignedOut }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: ({ queryKey }) => (isSessionKey(queryKey) ? 60_000 : 30_000),
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      retry: false,
      // do not refetch a read that has just failed in the route's loader
      retryOnMount: ({ state: { errorUpdatedAt } }) => Date.now() - errorUpdatedAt > RECENT_MS,
      refetchInterval: ({ queryKey: [name], state: { data, error } }) =>
        WITHOUT_EVENTS.has(name) || isFailedOperation(name, data)
          ? followInterval(error, FOLLOW_MS)
          : refetchAfterOutage(error),
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** What the failure of an operation names, such as a plugin, may be put in order meanwhile. */
function isFailedOperation(name: unknown, data: unknown): boolean {
  const detail: EndpointName = 'GET /operations/{operationId}'
  // the key names the endpoint, and so the type of its response
  return name === detail && (data as Answer<typeof detail> | undefined)?.state === 'FAILED'
}

export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.code === 'AUTHENTICATION_REQUIRED'

/** After any 401 the session may have ended, so this refetches the session. */
function refetchSessionIfSignedOut(error: unknown, source?: unknown) {
  const isSession =
    typeof source === 'object' && source !== null && 'queryKey' in source && isSessionKey(source.queryKey)
  if (isSignedOut(error) && !isSession) void invalidateEndpoints(queryClient, ['GET /session'])
}

const isSessionKey = (key: unknown) => Array.isArray(key) && key[0] === 'GET /session'
