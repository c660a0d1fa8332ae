import type { CallOf } from '#contract/endpoint/endpoint.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { ConsoleApi } from '../rows.ts'
import { auditCall, auditSearch } from './audit.ts'
import { batchCall, batchesCall, batchesSearch, batchItemsCall, batchSearch } from './batches.ts'
import { bundleVersionCall, bundleVersionsCall, catalogCall, catalogSearch } from './catalog.ts'
import { configurationCall, configuredInstallationsCall } from './configuration.ts'
import {
  installationCall,
  installationsCall,
  installationSearch,
  installationsSearch,
} from './installations.ts'
import { localServicesCall } from './local-services.ts'
import {
  failureGroupCall,
  failureGroupsCall,
  operationCall,
  operationsCall,
  operationsSearch,
  recentOperationsCall,
} from './operations.ts'
import {
  failureGroupsCall as overviewGroupsCall,
  firstHour,
  hourlyCountsCall,
  lockedInstallationsCall,
  outdatedBundlesCall,
  recentChangesCall,
  summaryCall,
  waitingOperationsCall,
} from './overview.ts'
import { deliveriesCall, webhooksCall, webhookSearch } from './notifications.ts'
import {
  pluginCall,
  pluginHealthCall,
  pluginReportsCall,
  pluginsCall,
  pluginSearch,
  pluginsSearch,
} from './plugins.ts'
import { scopesCall, scopesSearch } from './scopes.ts'
import type { Raw } from './search-params.ts'
import { versionsCall, versionsSearch } from './versions.ts'
import {
  availableServicesCall,
  referrersCall,
  serviceCall,
  servicesCall,
  servicesSearch,
} from './services.ts'

type ReadName = Extract<keyof ConsoleApi, `GET ${string}`>

/** One read of the console API. */
export type PageRead = {
  [Name in ReadName]: { name: Name; call: CallOf<ConsoleApi[Name]>; needs?: Permission }
}[ReadName]

/** The parts of a page's address that its reads depend on; `now` is in milliseconds since 1970. */
export interface PageAddress {
  params: Readonly<Record<string, string>>
  search: Raw
  now: number
}

/**
 * What the first render of each page reads, by the path of its route. The console's server puts the answers into the
 * document, and the route's loader fetches those that are missing. A read with `needs` is skipped for people without
 * that permission, because a refused request would be recorded in the audit.
 */
export const pageReads = {
  '/': ({ now }) => [
    { name: 'GET /failure-groups', call: overviewGroupsCall },
    { name: 'GET /operations', call: waitingOperationsCall },
    { name: 'GET /installations', call: lockedInstallationsCall },
    { name: 'GET /operations/counts', call: hourlyCountsCall(firstHour(now)) },
    { name: 'GET /summary', call: summaryCall },
    { name: 'GET /installed-versions', call: outdatedBundlesCall },
    { name: 'GET /operations', call: recentChangesCall },
  ],
  '/installations': ({ search }) => [
    { name: 'GET /installations', call: installationsCall(installationsSearch(search)) },
  ],
  // must precede /installations/$id, which matches it too
  '/installations/new': () => [],
  '/installations/$id': ({ params, search }) => [
    { name: 'GET /installations/{bundleInstallId}', call: installationCall(idOf(params)) },
    ...(installationSearch(search).tab === 'operations'
      ? [operationsOf({ bundleInstallId: idOf(params) })]
      : []),
  ],
  '/versions': ({ search }) => [
    { name: 'GET /installed-versions', call: versionsCall(versionsSearch(search)) },
  ],
  '/scopes': ({ search }) => [{ name: 'GET /scopes', call: scopesCall(scopesSearch(search)) }],
  '/scopes/$env/$runtime/$workspace/configuration': ({ params }) => [
    {
      name: 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
      call: configurationCall(scopeOf(params)),
    },
    { name: 'GET /installations', call: configuredInstallationsCall(scopeOf(params)) },
    { name: 'GET /services', call: availableServicesCall(scopeOf(params)) },
  ],
  '/scopes/$env/$runtime/$workspace/local-services': ({ params }) => [
    {
      name: 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services',
      call: localServicesCall(scopeOf(params)),
    },
  ],
  '/operations': ({ search: raw }) => {
    const search = operationsSearch(raw)
    return search.view === 'causes'
      ? [{ name: 'GET /failure-groups', call: failureGroupsCall(search) }]
      : [
          { name: 'GET /operations', call: operationsCall(search) },
          ...(search.failureGroup === undefined
            ? []
            : [{ name: 'GET /failure-groups' as const, call: failureGroupCall(search) }]),
        ]
  },
  '/operations/$id': ({ params }) => [
    { name: 'GET /operations/{operationId}', call: operationCall(idOf(params)) },
  ],
  '/batches': ({ search }) => [{ name: 'GET /batches', call: batchesCall(batchesSearch(search)) }],
  '/batches/$id': ({ params, search }) => [
    { name: 'GET /batches/{batchId}', call: batchCall(idOf(params)) },
    { name: 'GET /batches/{batchId}/items', call: batchItemsCall(idOf(params), batchSearch(search)) },
  ],
  '/receipt': () => [],
  '/catalog': ({ search }) => [{ name: 'GET /bundles', call: catalogCall(catalogSearch(search)) }],
  '/catalog/$env/$bundle/$version': ({ params: { env = '', bundle: bundleId = '', version = '' } }) => [
    {
      name: 'GET /bundles/{environmentKey}/{bundleId}/versions/{version}',
      call: bundleVersionCall({ environmentKey: env, bundleId, version }),
    },
    {
      name: 'GET /bundles/{environmentKey}/{bundleId}/versions',
      call: bundleVersionsCall({ environmentKey: env, bundleId }),
    },
  ],
  '/plugins': ({ search }) => [{ name: 'GET /plugins', call: pluginsCall(pluginsSearch(search)) }],
  '/plugins/$id': ({ params, search }) => [
    { name: 'GET /plugins/{pluginId}', call: pluginCall(idOf(params)) },
    ...(pluginSearch(search).tab === 'operations' ? [operationsOf({ pluginId: idOf(params) })] : []),
    ...(pluginSearch(search).tab === 'health'
      ? [
          {
            name: 'GET /plugins/{pluginId}/health' as const,
            call: pluginHealthCall(idOf(params), pluginSearch(search)),
          },
        ]
      : []),
    ...(pluginSearch(search).tab === 'reports'
      ? [{ name: 'GET /plugins/{pluginId}/reports' as const, call: pluginReportsCall(idOf(params)) }]
      : []),
  ],
  '/notifications': () => [{ name: 'GET /webhooks', call: webhooksCall, needs: 'notification:write' }],
  '/notifications/$id': ({ params, search }) => [
    { name: 'GET /webhooks', call: webhooksCall, needs: 'notification:write' },
    {
      name: 'GET /webhooks/{webhookId}/deliveries',
      call: deliveriesCall(idOf(params), webhookSearch(search)),
      needs: 'notification:write',
    },
  ],
  '/services': ({ search }) => [{ name: 'GET /services', call: servicesCall(servicesSearch(search)) }],
  '/services/$id': ({ params }) => [
    { name: 'GET /services/{serviceId}', call: serviceCall(idOf(params)) },
    { name: 'GET /services/{serviceId}/referrers', call: referrersCall(idOf(params)) },
  ],
  '/audit': ({ search }) => [
    { name: 'GET /audit', call: auditCall(auditSearch(search)), needs: 'audit:read' },
  ],
} as const satisfies Record<string, (address: PageAddress) => readonly PageRead[]>

export type PagePath = keyof typeof pageReads

/** The page of an address and its parameters, decoded; null for an address of no page. */
export function matchPage(pathname: string): { path: PagePath; params: Record<string, string> } | null {
  const segments = segmentsOf(pathname)
  for (const path of Object.keys(pageReads) as PagePath[]) {
    const params = matchSegments(segmentsOf(path), segments)
    if (params !== null) return { path, params }
  }
  return null
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (!part.startsWith('$')) {
      if (part !== segment) return null
      continue
    }
    const value = decode(segment)
    if (value === null) return null
    params[part.slice(1)] = value
  }
  return params
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

const idOf = ({ id = '' }: PageAddress['params']): string => id

const scopeOf = ({ env = '', runtime = '', workspace = '' }: PageAddress['params']): Scope => ({
  environmentKey: env,
  applicationRuntimeId: runtime,
  workspaceId: Number(workspace),
})

const operationsOf = (of: Parameters<typeof recentOperationsCall>[0]) => ({
  name: 'GET /operations' as const,
  call: recentOperationsCall(of),
})
