import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  useLocation,
} from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import { loadWithRetry } from './load-with-retry.ts'
import { Shell } from './layouts/Shell.tsx'
import { loadPage } from './load-page.ts'
import { auditSearch } from '#contract/console-api/pages/audit.ts'
import { batchesSearch, batchSearch } from '#contract/console-api/pages/batches.ts'
import { bundleVersionSearch, catalogSearch } from '#contract/console-api/pages/catalog.ts'
import { configurationSearch } from '#contract/console-api/pages/configuration.ts'
import {
  installationSearch,
  installationsSearch,
  installSearch,
} from '#contract/console-api/pages/installations.ts'
import { localServicesSearch } from '#contract/console-api/pages/local-services.ts'
import { operationSearch, operationsSearch } from '#contract/console-api/pages/operations.ts'
import { webhookSearch } from '#contract/console-api/pages/notifications.ts'
import { pluginSearch, pluginsSearch } from '#contract/console-api/pages/plugins.ts'
import { scopesSearch } from '#contract/console-api/pages/scopes.ts'
import { versionsSearch } from '#contract/console-api/pages/versions.ts'
import { servicesSearch } from '#contract/console-api/pages/services.ts'
import { omitUndefined, text, type Raw } from '#contract/console-api/pages/search-params.ts'

/**
 * Every page, once. Pages and their texts are separate chunks. A route fetches both, and the answers that the page reads
 * first, in parallel, and starts when a link to it is hovered. `page-parts.ts` and `pageReads` list them.
 */
export type RouterContext = { queryClient: QueryClient }

const root = createRootRouteWithContext<RouterContext>()({
  component: Frame,
  notFoundComponent: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/not-found/NotFoundPage.tsx')),
    'NotFoundPage',
  ),
})

/** The only page outside of the shell is the one without a session. */
function Frame() {
  const signedOut = useLocation({ select: (location) => location.pathname === '/signed-out' })
  return signedOut ? <Outlet /> : <Shell />
}

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: (match) => loadPage('/', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/overview/OverviewPage.tsx')),
    'OverviewPage',
  ),
})

const installations = createRoute({
  getParentRoute: () => root,
  path: '/installations',
  validateSearch: installationsSearch,
  loader: (match) => loadPage('/installations', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/installations/InstallationsPage.tsx')),
    'InstallationsPage',
  ),
})

const installation = createRoute({
  getParentRoute: () => root,
  path: '/installations/$id',
  validateSearch: installationSearch,
  loader: (match) => loadPage('/installations/$id', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/installations/InstallationPage.tsx')),
    'InstallationPage',
  ),
})

const installationNew = createRoute({
  getParentRoute: () => root,
  path: '/installations/new',
  validateSearch: installSearch,
  loader: (match) => loadPage('/installations/new', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/installations/InstallPage.tsx')),
    'InstallPage',
  ),
})

const versions = createRoute({
  getParentRoute: () => root,
  path: '/versions',
  validateSearch: versionsSearch,
  loader: (match) => loadPage('/versions', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/versions/VersionsPage.tsx')),
    'VersionsPage',
  ),
})

const scopes = createRoute({
  getParentRoute: () => root,
  path: '/scopes',
  validateSearch: scopesSearch,
  loader: (match) => loadPage('/scopes', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/scopes/ScopesPage.tsx')),
    'ScopesPage',
  ),
})

const configuration = createRoute({
  getParentRoute: () => root,
  path: '/scopes/$env/$runtime/$workspace/configuration',
  validateSearch: configurationSearch,
  loader: (match) => loadPage('/scopes/$env/$runtime/$workspace/configuration', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/configuration/ConfigurationPage.tsx')),
    'ConfigurationPage',
  ),
})

const localServices = createRoute({
  getParentRoute: () => root,
  path: '/scopes/$env/$runtime/$workspace/local-services',
  validateSearch: localServicesSearch,
  loader: (match) => loadPage('/scopes/$env/$runtime/$workspace/local-services', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/local-services/LocalServicesPage.tsx')),
    'LocalServicesPage',
  ),
})

const operations = createRoute({
  getParentRoute: () => root,
  path: '/operations',
  validateSearch: operationsSearch,
  loader: (match) => loadPage('/operations', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/operations/OperationsPage.tsx')),
    'OperationsPage',
  ),
})

const operation = createRoute({
  getParentRoute: () => root,
  path: '/operations/$id',
  validateSearch: operationSearch,
  loader: (match) => loadPage('/operations/$id', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/operations/OperationPage.tsx')),
    'OperationPage',
  ),
})

const batches = createRoute({
  getParentRoute: () => root,
  path: '/batches',
  validateSearch: batchesSearch,
  loader: (match) => loadPage('/batches', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/batches/BatchesPage.tsx')),
    'BatchesPage',
  ),
})

const batch = createRoute({
  getParentRoute: () => root,
  path: '/batches/$id',
  validateSearch: batchSearch,
  loader: (match) => loadPage('/batches/$id', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/batches/BatchPage.tsx')),
    'BatchPage',
  ),
})

const receipt = createRoute({
  getParentRoute: () => root,
  path: '/receipt',
  loader: (match) => loadPage('/receipt', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/receipt/ReceiptPage.tsx')),
    'ReceiptPage',
  ),
})

const catalog = createRoute({
  getParentRoute: () => root,
  path: '/catalog',
  validateSearch: catalogSearch,
  loader: (match) => loadPage('/catalog', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/catalog/CatalogPage.tsx')),
    'CatalogPage',
  ),
})

const bundleVersion = createRoute({
  getParentRoute: () => root,
  path: '/catalog/$env/$bundle/$version',
  validateSearch: bundleVersionSearch,
  loader: (match) => loadPage('/catalog/$env/$bundle/$version', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/catalog/BundleVersionPage.tsx')),
    'BundleVersionPage',
  ),
})

const plugins = createRoute({
  getParentRoute: () => root,
  path: '/plugins',
  validateSearch: pluginsSearch,
  loader: (match) => loadPage('/plugins', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/plugins/PluginsPage.tsx')),
    'PluginsPage',
  ),
})

const plugin = createRoute({
  getParentRoute: () => root,
  path: '/plugins/$id',
  validateSearch: pluginSearch,
  loader: (match) => loadPage('/plugins/$id', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/plugins/PluginPage.tsx')),
    'PluginPage',
  ),
})

const notifications = createRoute({
  getParentRoute: () => root,
  path: '/notifications',
  loader: (match) => loadPage('/notifications', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/notifications/NotificationsPage.tsx')),
    'NotificationsPage',
  ),
})

const notification = createRoute({
  getParentRoute: () => root,
  path: '/notifications/$id',
  validateSearch: webhookSearch,
  loader: (match) => loadPage('/notifications/$id', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/notifications/WebhookPage.tsx')),
    'WebhookPage',
  ),
})

const services = createRoute({
  getParentRoute: () => root,
  path: '/services',
  validateSearch: servicesSearch,
  loader: (match) => loadPage('/services', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/services/ServicesPage.tsx')),
    'ServicesPage',
  ),
})

const service = createRoute({
  getParentRoute: () => root,
  path: '/services/$id',
  loader: (match) => loadPage('/services/$id', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/services/ServicePage.tsx')),
    'ServicePage',
  ),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearch,
  loader: (match) => loadPage('/audit', match),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/audit/AuditPage.tsx')),
    'AuditPage',
  ),
})

const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: (raw: Raw) => omitUndefined({ returnTo: text(raw, 'returnTo') }),
  component: lazyRouteComponent(
    () => loadWithRetry(() => import('./pages/signed-out/SignedOutPage.tsx')),
    'SignedOutPage',
  ),
})

export const routeTree = root.addChildren([
  overview,
  installations,
  installation,
  installationNew,
  versions,
  scopes,
  configuration,
  localServices,
  operations,
  operation,
  batches,
  batch,
  receipt,
  catalog,
  bundleVersion,
  notifications,
  notification,
  plugins,
  plugin,
  services,
  service,
  audit,
  signedOut,
])
