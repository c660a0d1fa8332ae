import type { CallOf } from '#contract/endpoint/endpoint.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { ConsoleApi } from '../rows.ts'
import { auditCall, auditSearch } from './audit.ts'
import { batchCall, batchesCall, batchesSearch, batchItemsCall, batchSearch } from './batches.ts'
import {
  changeRequestCall,
  changeRequestsCall,
  changeRequestsSearch,
  openChangeRequestsCall,
  waitingCall,
} from './change-requests.ts'
import {
  bundleVersionCall,
  bundleVersionsCall,
  bundleVersionSearch,
  catalogCall,
  catalogSearch,
} from './catalog.ts'
import {
  causeCall,
  causeHoursCall,
  causeMembersCall,
  causesCall,
  lookedAtCall,
  myAssignedCall,
  myCausesCall,
  newCausesCall,
  oneCauseCall,
  takenCausesCall,
} from './causes.ts'
import { calendarSearch } from './calendar.ts'
import { configurationCall, configurationSearch, configuredInstallationsCall } from './configuration.ts'
import { pausesCall, pausesInScopeCall } from './pauses.ts'
import { activeFreezesCall, freezesCall, restrictionsCall } from './freezes.ts'
import {
  installationCall,
  installationsCall,
  installationSearch,
  installationsSearch,
  installSearch,
} from './installations.ts'
import { followsCall, inboxCall, inboxSearch, unreadCall } from './inbox.ts'
import { localServicesCall, localServicesSearch } from './local-services.ts'
import {
  operationCall,
  operationsCall,
  operationSearch,
  operationsSearch,
  recentOperationsCall,
} from './operations.ts'
import {
  overviewCausesCall,
  firstHour,
  hourlyCountsCall,
  lockedInstallationsCall,
  myOperationsCall,
  newestBatchesCall,
  outdatedBundlesCall,
  recentChangesCall,
  recoveryCall,
  summaryCall,
  troublesCall,
  waitingOperationsCall,
} from './overview.ts'
import { deliveriesCall, webhooksCall, webhookSearch } from './notifications.ts'
import {
  pluginCall,
  pluginCallsCall,
  pluginHealthCall,
  pluginReportsCall,
  pluginsCall,
  pluginSearch,
  pluginsSearch,
} from './plugins.ts'
import { propertiesCall, propertiesSearch, propertySearchCall } from './properties.ts'
import { scopesCall, scopesSearch } from './scopes.ts'
import { allSessionsCall, ownSessionsCall, serviceAccountsCall, sessionsSearch } from './sessions.ts'
import { whole, type Raw } from './search-params.ts'
import { versionsCall, versionsSearch } from './versions.ts'
import { availableServicesCall, serviceCall, servicesCall, servicesSearch } from './services.ts'

type ReadName = Extract<keyof ConsoleApi, `GET ${string}`>

/** One read of the console API. */
export type PageRead = {
  [Name in ReadName]: { name: Name; call: CallOf<ConsoleApi[Name]>; needs?: Permission }
}[ReadName]

/** A page of the console. */
export interface Page<Search extends object> {
  /** What the page understands of the search parameters of its address. */
  search: (raw: Raw) => Search
  /** What its first render reads. */
  reads: (address: PageAddress<Search>) => readonly PageRead[]
  /** The search parameters for which the page reports values that it does not understand; others are dropped. */
  filters: 'all' | readonly string[]
}

/** What the reads of a page depend on: its address, the time in milliseconds since 1970, and whose page it is, if known. */
export interface PageAddress<Search> {
  params: Readonly<Record<string, string>>
  search: Search
  now: number
  personId: string | null
}

/** Infers the type of the search parameters. */
const page = <Search extends object>(
  search: Page<Search>['search'],
  reads: Page<Search>['reads'] = () => [],
  filters: Page<Search>['filters'] = [],
): Page<Search> => ({ search, reads, filters })

const withoutSearch = () => ({})

/**
 * Every page that needs a session, by the path of its route. The console's server puts the responses to the reads into the
 * document, and the route's loader fetches those that are missing. A read with `needs` is skipped for people without
 * that permission, because a refused request would be recorded in the audit. `web/app/routes.tsx` names the component.
 */
export const pages = {
  '/': page(withoutSearch, ({ now, personId }) => [
    ...(personId === null
      ? []
      : [
          { name: 'GET /operations' as const, call: myOperationsCall(personId) },
          { name: 'GET /change-requests' as const, call: openChangeRequestsCall({ author: personId }) },
        ]),
    { name: 'GET /batches', call: newestBatchesCall },
    { name: 'GET /causes', call: overviewCausesCall },
    { name: 'GET /looked-at', call: lookedAtCall },
    { name: 'GET /operations', call: waitingOperationsCall },
    { name: 'GET /installations', call: lockedInstallationsCall },
    { name: 'GET /operations/counts', call: hourlyCountsCall(firstHour(now)) },
    { name: 'GET /summary', call: summaryCall },
    { name: 'GET /installed-versions', call: outdatedBundlesCall },
    { name: 'GET /operations', call: recentChangesCall },
    { name: 'GET /freezes', call: activeFreezesCall },
    { name: 'GET /pauses', call: pausesCall },
  ]),
  '/installations': page(
    installationsSearch,
    ({ search }) => [{ name: 'GET /installations', call: installationsCall(search) }],
    'all',
  ),
  // must precede /installations/$id, which matches it too
  '/installations/new': page(installSearch),
  '/installations/$id': page(
    installationSearch,
    ({ params }) => [
      { name: 'GET /installations/{bundleInstallId}', call: installationCall(idOf(params)) },
      operationsOf({ bundleInstallId: idOf(params) }),
      { name: 'GET /follows', call: followsCall },
    ],
    ['tab'],
  ),
  '/versions': page(
    versionsSearch,
    ({ search }) => [{ name: 'GET /installed-versions/scopes', call: versionsCall(search) }],
    'all',
  ),
  '/properties': page(
    propertiesSearch,
    ({ search }) => {
      const [values, found] = [propertiesCall(search), propertySearchCall(search)]
      if (values !== null) return [{ name: 'GET /properties', call: values }]
      return found === null ? [] : [{ name: 'GET /installed-properties', call: found }]
    },
    'all',
  ),
  '/scopes': page(scopesSearch, ({ search }) => [{ name: 'GET /scopes', call: scopesCall(search) }], 'all'),
  '/scopes/$env/$runtime/$workspace/configuration': page(
    configurationSearch,
    ({ params }) => [
      {
        name: 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
        call: configurationCall(scopeOf(params)),
      },
      { name: 'GET /installations', call: configuredInstallationsCall(scopeOf(params)) },
      { name: 'GET /services', call: availableServicesCall(scopeOf(params)) },
      { name: 'GET /follows', call: followsCall },
      { name: 'GET /change-requests', call: openChangeRequestsCall(scopeOf(params)) },
      {
        name: 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions',
        call: restrictionsCall(scopeOf(params)),
      },
      { name: 'GET /pauses', call: pausesInScopeCall(scopeOf(params)) },
    ],
    ['tab', 'q', 'show', 'changedIn', 'changed', 'by', 'since', 'until', 'from', 'to'],
  ),
  '/scopes/$env/$runtime/$workspace/local-services': page(localServicesSearch, ({ params }) => [
    {
      name: 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services',
      call: localServicesCall(scopeOf(params)),
    },
  ]),
  '/operations': page(
    operationsSearch,
    ({ search }) =>
      search.view === 'causes'
        ? [
            { name: 'GET /causes', call: causesCall(search) },
            { name: 'GET /causes/hours', call: causeHoursCall(search) },
            { name: 'GET /looked-at', call: lookedAtCall },
          ]
        : [
            { name: 'GET /operations', call: operationsCall(search) },
            ...(search.causeId === undefined
              ? []
              : [{ name: 'GET /causes' as const, call: oneCauseCall(search) }]),
          ],
    'all',
  ),
  '/operations/$id': page(operationSearch, ({ params }) => [
    { name: 'GET /operations/{operationId}', call: operationCall(idOf(params)) },
    { name: 'GET /follows', call: followsCall },
  ]),
  '/causes/$id': page(withoutSearch, ({ params }) => [
    { name: 'GET /causes/{causeId}', call: causeCall(idOf(params)) },
    { name: 'GET /operations', call: causeMembersCall(idOf(params)) },
    { name: 'GET /follows', call: followsCall },
  ]),
  '/duty': page(withoutSearch, ({ personId }) => [
    ...(personId === null
      ? []
      : [
          { name: 'GET /causes' as const, call: myCausesCall(personId) },
          { name: 'GET /operations' as const, call: myAssignedCall(personId) },
        ]),
    { name: 'GET /causes', call: newCausesCall },
    { name: 'GET /causes', call: takenCausesCall },
  ]),
  '/change-requests': page(
    changeRequestsSearch,
    ({ search }) => [{ name: 'GET /change-requests', call: changeRequestsCall(search) }],
    'all',
  ),
  // must precede /change-requests/$id, which matches it too; its reads depend on the zone of the person, which the server does not know
  '/change-requests/calendar': page(calendarSearch, () => [], 'all'),
  '/change-requests/$id': page(withoutSearch, ({ params }) => [
    { name: 'GET /change-requests/{changeRequestId}', call: changeRequestCall(idOf(params)) },
    { name: 'GET /change-requests/{changeRequestId}/plan', call: changeRequestCall(idOf(params)) },
  ]),
  '/batches': page(
    batchesSearch,
    ({ search }) => [{ name: 'GET /batches', call: batchesCall(search) }],
    'all',
  ),
  '/batches/$id': page(
    batchSearch,
    ({ params, search }) => [
      { name: 'GET /batches/{batchId}', call: batchCall(idOf(params)) },
      { name: 'GET /batches/{batchId}/items', call: batchItemsCall(idOf(params), search) },
    ],
    ['state'],
  ),
  '/receipt': page(withoutSearch),
  '/catalog': page(
    catalogSearch,
    ({ search }) => [{ name: 'GET /bundles', call: catalogCall(search) }],
    'all',
  ),
  '/catalog/$env/$bundle/$version': page(
    bundleVersionSearch,
    ({ params: { env = '', bundle: bundleId = '', version = '' } }) => [
      {
        name: 'GET /bundles/{environmentKey}/{bundleId}/versions/{version}',
        call: bundleVersionCall({ environmentKey: env, bundleId, version }),
      },
      {
        name: 'GET /bundles/{environmentKey}/{bundleId}/versions',
        call: bundleVersionsCall({ environmentKey: env, bundleId }),
      },
    ],
    ['tab'],
  ),
  '/plugins': page(
    pluginsSearch,
    ({ search }) => [
      { name: 'GET /plugins', call: pluginsCall(search) },
      { name: 'GET /causes/hours', call: causeHoursCall({}) },
    ],
    'all',
  ),
  '/plugins/$id': page(
    pluginSearch,
    ({ params, search }) => [
      { name: 'GET /plugins/{pluginId}', call: pluginCall(idOf(params)) },
      ...(search.tab === 'operations' ? [operationsOf({ pluginId: idOf(params) })] : []),
      ...((search.tab ?? 'health') === 'health'
        ? [{ name: 'GET /plugins/{pluginId}/health' as const, call: pluginHealthCall(idOf(params), search) }]
        : []),
      ...(search.tab === 'calls'
        ? [{ name: 'GET /plugins/{pluginId}/calls' as const, call: pluginCallsCall(idOf(params), search) }]
        : []),
      ...(search.tab === 'reports'
        ? [{ name: 'GET /plugins/{pluginId}/reports' as const, call: pluginReportsCall(idOf(params)) }]
        : []),
    ],
    ['tab', 'kind', 'result', 'code', 'operation', 'since', 'until'],
  ),
  '/inbox': page(
    inboxSearch,
    ({ search }) =>
      search.view === 'follows'
        ? [{ name: 'GET /follows', call: followsCall }]
        : [{ name: 'GET /inbox', call: inboxCall(search) }],
    ['view'],
  ),
  '/notifications': page(withoutSearch, () => [
    { name: 'GET /webhooks', call: webhooksCall, needs: 'notification:write' },
  ]),
  '/notifications/$id': page(webhookSearch, ({ params, search }) => [
    { name: 'GET /webhooks', call: webhooksCall, needs: 'notification:write' },
    {
      name: 'GET /webhooks/{webhookId}/deliveries',
      call: deliveriesCall(idOf(params), search),
      needs: 'notification:write',
    },
  ]),
  '/services': page(
    servicesSearch,
    ({ search }) => [{ name: 'GET /services', call: servicesCall(search) }],
    'all',
  ),
  '/services/$id': page(withoutSearch, ({ params }) => [
    { name: 'GET /services/{serviceId}', call: serviceCall(idOf(params)) },
    { name: 'GET /services/{serviceId}/dependencies', call: serviceCall(idOf(params)) },
  ]),
  '/sessions': page(
    sessionsSearch,
    ({ search }) =>
      search.whose === 'everyone'
        ? [{ name: 'GET /sessions/everyone', call: allSessionsCall(search), needs: 'account:write' }]
        : [{ name: 'GET /sessions', call: ownSessionsCall }],
    'all',
  ),
  '/service-accounts': page(withoutSearch, () => [
    { name: 'GET /service-accounts', call: serviceAccountsCall, needs: 'account:write' },
  ]),
  '/freezes': page(withoutSearch, () => [{ name: 'GET /freezes', call: freezesCall }]),
  '/audit': page(
    auditSearch,
    ({ search }) => [{ name: 'GET /audit', call: auditCall(search), needs: 'audit:read' }],
    'all',
  ),
}

/** What the frame around every page reads. A page does not wait for it. */
export const frameReads: readonly PageRead[] = [
  { name: 'GET /inbox/unread', call: unreadCall },
  { name: 'GET /recovery', call: recoveryCall },
  { name: 'GET /troubles', call: troublesCall },
  { name: 'GET /change-requests/waiting', call: waitingCall, needs: 'change:approve' },
]

/** What the first render of a page reads, for the search parameters as they are in the address. */
export function readsOf(path: PagePath, address: PageAddress<Raw>): readonly PageRead[] {
  // a page's reads take what its own `search` returns, which the union of all pages cannot express
  const { search, reads } = pages[path] as Page<object>
  return reads({ ...address, search: search(address.search) })
}

export type PagePath = keyof typeof pages

/** The page of an address and its parameters, decoded; null for an address of no page. */
export function matchPage(pathname: string): { path: PagePath; params: Record<string, string> } | null {
  const segments = segmentsOf(pathname)
  for (const path of Object.keys(pages) as PagePath[]) {
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
    if (value === null || (part === '$workspace' && whole({ value }, 'value') === undefined)) return null
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

const idOf = ({ id = '' }: PageAddress<object>['params']): string => id

const scopeOf = ({ env = '', runtime = '', workspace = '' }: PageAddress<object>['params']): Scope => ({
  environmentKey: env,
  applicationRuntimeId: runtime,
  workspaceId: Number(workspace),
})

const operationsOf = (of: Parameters<typeof recentOperationsCall>[0]) => ({
  name: 'GET /operations' as const,
  call: recentOperationsCall(of),
})
