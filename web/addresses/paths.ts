import type { WebhookSearch } from '#contract/console-api/pages/notifications.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { linkOptions } from '@tanstack/react-router'
import type { AuditSearch } from '#contract/console-api/pages/audit.ts'
import type { BatchesSearch, BatchSearch } from '#contract/console-api/pages/batches.ts'
import type { BundleVersionSearch, CatalogSearch } from '#contract/console-api/pages/catalog.ts'
import type { CalendarSearch } from '#contract/console-api/pages/calendar.ts'
import type { ChangeRequestsSearch } from '#contract/console-api/pages/change-requests.ts'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import type {
  InstallationSearch,
  InstallationsSearch,
  InstallSearch,
} from '#contract/console-api/pages/installations.ts'
import type { InboxSearch } from '#contract/console-api/pages/inbox.ts'
import type { LocalServicesSearch } from '#contract/console-api/pages/local-services.ts'
import type { OperationSearch, OperationsSearch } from '#contract/console-api/pages/operations.ts'
import type { PluginsSearch, PluginSearch } from '#contract/console-api/pages/plugins.ts'
import type { PropertiesSearch } from '#contract/console-api/pages/properties.ts'
import type { ScopesSearch } from '#contract/console-api/pages/scopes.ts'
import type { VersionsSearch } from '#contract/console-api/pages/versions.ts'
import type { SessionsSearch } from '#contract/console-api/pages/sessions.ts'
import type { ServicesSearch } from '#contract/console-api/pages/services.ts'
// tells the router's types which routes there are, also in the rooms above
import './routes.ts'

export type ScopeKey = { environmentKey: string; applicationRuntimeId: string; workspaceId: number }

const scopeParams = (scope: ScopeKey) => ({
  env: scope.environmentKey,
  runtime: scope.applicationRuntimeId,
  workspace: String(scope.workspaceId),
})

/** Every address of the console is created here; the compiler checks it against the routes. */
export const paths = {
  overview: () => linkOptions({ to: '/' }),
  installations: (search: InstallationsSearch = {}) => linkOptions({ to: '/installations', search }),
  installation: (id: string, search: InstallationSearch = {}) =>
    linkOptions({ to: '/installations/$id', params: { id }, search }),
  installationNew: (search: InstallSearch = {}) => linkOptions({ to: '/installations/new', search }),
  versions: (search: VersionsSearch = {}) => linkOptions({ to: '/versions', search }),
  /** One property in every installation. */
  property: (locator: string, property: string, search: PropertiesSearch = {}) => {
    const parts = parseLocator(locator)
    return linkOptions({
      to: '/properties',
      search: {
        ...(parts && { bundleId: parts.bundleId, kind: parts.kind, resource: parts.name }),
        property,
        ...search,
      },
    })
  },
  properties: (search: PropertiesSearch = {}) => linkOptions({ to: '/properties', search }),
  scopes: (search: ScopesSearch = {}) => linkOptions({ to: '/scopes', search }),
  configuration: (scope: ScopeKey, search: ConfigurationSearch = {}) =>
    linkOptions({
      to: '/scopes/$env/$runtime/$workspace/configuration',
      params: scopeParams(scope),
      search,
    }),
  localServices: (scope: ScopeKey, search: LocalServicesSearch = {}) =>
    linkOptions({
      to: '/scopes/$env/$runtime/$workspace/local-services',
      params: scopeParams(scope),
      search,
    }),
  operations: (search: OperationsSearch = {}) => linkOptions({ to: '/operations', search }),
  operation: (id: string, search: OperationSearch = {}) =>
    linkOptions({ to: '/operations/$id', params: { id }, search }),
  cause: (id: string) => linkOptions({ to: '/causes/$id', params: { id } }),
  duty: () => linkOptions({ to: '/duty' }),
  batches: (search: BatchesSearch = {}) => linkOptions({ to: '/batches', search }),
  batch: (id: string, search: BatchSearch = {}) =>
    linkOptions({ to: '/batches/$id', params: { id }, search }),
  changeRequests: (search: ChangeRequestsSearch = {}) => linkOptions({ to: '/change-requests', search }),
  changeRequest: (id: string) => linkOptions({ to: '/change-requests/$id', params: { id } }),
  calendar: (search: CalendarSearch = {}) => linkOptions({ to: '/change-requests/calendar', search }),
  receipt: () => linkOptions({ to: '/receipt' }),
  catalog: (search: CatalogSearch = {}) => linkOptions({ to: '/catalog', search }),
  bundleVersion: (
    { env, bundle, version }: { env: string; bundle: string; version: string },
    search: BundleVersionSearch = {},
  ) => linkOptions({ to: '/catalog/$env/$bundle/$version', params: { env, bundle, version }, search }),
  plugins: (search: PluginsSearch = {}) => linkOptions({ to: '/plugins', search }),
  plugin: (id: string, search: PluginSearch = {}) =>
    linkOptions({ to: '/plugins/$id', params: { id }, search }),
  services: (search: ServicesSearch = {}) => linkOptions({ to: '/services', search }),
  service: (id: string) => linkOptions({ to: '/services/$id', params: { id } }),
  inbox: (search: InboxSearch = {}) => linkOptions({ to: '/inbox', search }),
  notifications: () => linkOptions({ to: '/notifications' }),
  notification: (id: string, search: WebhookSearch = {}) =>
    linkOptions({ to: '/notifications/$id', params: { id }, search }),
  sessions: (search: SessionsSearch = {}) => linkOptions({ to: '/sessions', search }),
  freezes: () => linkOptions({ to: '/freezes' }),
  serviceAccounts: () => linkOptions({ to: '/service-accounts' }),
  audit: (search: AuditSearch = {}) => linkOptions({ to: '/audit', search }),
  signedOut: (returnTo?: string) => linkOptions({ to: '/signed-out', search: returnTo ? { returnTo } : {} }),
}
