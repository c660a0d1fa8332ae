import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  useLocation,
} from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import { fetchPart } from './fetch-part.ts'
import type { PageNamespace } from './i18n/catalogue.ts'
import { loadTexts } from './i18n/locale.ts'
import { Shell } from './layouts/Shell.tsx'
import { auditSearch } from './pages/audit/search.ts'
import { bundleVersionSearch, catalogSearch } from './pages/catalog/search.ts'
import { configurationSearch } from './pages/configuration/search.ts'
import { installationSearch, installationsSearch, installSearch } from './pages/installations/search.ts'
import { localServicesSearch } from './pages/local-services/search.ts'
import { operationSearch, operationsSearch } from './pages/operations/search.ts'
import { pluginSearch, pluginsSearch } from './pages/plugins/search.ts'
import { scopesSearch } from './pages/scopes/search.ts'
import { servicesSearch } from './pages/services/search.ts'
import { given, text, type Raw } from './search.ts'

/**
 * Every page, once. A page is a chunk of its own, and so are its texts; both are fetched together, on a hover already.
 * `texts` names the namespaces that the page uses beside those that are always there.
 */
export type RouterContext = { queryClient: QueryClient }

const texts =
  (...namespaces: PageNamespace[]) =>
  () =>
    loadTexts(namespaces)

const root = createRootRouteWithContext<RouterContext>()({
  component: Frame,
  notFoundComponent: lazyRouteComponent(
    () => fetchPart(() => import('./pages/not-found/NotFoundPage.tsx')),
    'NotFoundPage',
  ),
})

/** The one page outside of the shell is the one that is shown without a session. */
function Frame() {
  const signedOut = useLocation({ select: (location) => location.pathname === '/signed-out' })
  return signedOut ? <Outlet /> : <Shell />
}

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: texts('overview', 'operations'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/overview/OverviewPage.tsx')),
    'OverviewPage',
  ),
})

const installations = createRoute({
  getParentRoute: () => root,
  path: '/installations',
  validateSearch: installationsSearch,
  loader: texts('installations'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/installations/InstallationsPage.tsx')),
    'InstallationsPage',
  ),
})

const installation = createRoute({
  getParentRoute: () => root,
  path: '/installations/$id',
  validateSearch: installationSearch,
  loader: texts('installations', 'recentOperations'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/installations/InstallationPage.tsx')),
    'InstallationPage',
  ),
})

const installationNew = createRoute({
  getParentRoute: () => root,
  path: '/installations/new',
  validateSearch: installSearch,
  loader: texts('installations', 'forms'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/installations/InstallPage.tsx')),
    'InstallPage',
  ),
})

const scopes = createRoute({
  getParentRoute: () => root,
  path: '/scopes',
  validateSearch: scopesSearch,
  loader: texts('scopes'),
  component: lazyRouteComponent(() => fetchPart(() => import('./pages/scopes/ScopesPage.tsx')), 'ScopesPage'),
})

const configuration = createRoute({
  getParentRoute: () => root,
  path: '/scopes/$env/$runtime/$workspace/configuration',
  validateSearch: configurationSearch,
  loader: texts('configuration', 'forms'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/configuration/ConfigurationPage.tsx')),
    'ConfigurationPage',
  ),
})

const localServices = createRoute({
  getParentRoute: () => root,
  path: '/scopes/$env/$runtime/$workspace/local-services',
  validateSearch: localServicesSearch,
  loader: texts('localServices', 'forms'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/local-services/LocalServicesPage.tsx')),
    'LocalServicesPage',
  ),
})

const operations = createRoute({
  getParentRoute: () => root,
  path: '/operations',
  validateSearch: operationsSearch,
  loader: texts('operations'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/operations/OperationsPage.tsx')),
    'OperationsPage',
  ),
})

const operation = createRoute({
  getParentRoute: () => root,
  path: '/operations/$id',
  validateSearch: operationSearch,
  loader: texts('operations'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/operations/OperationPage.tsx')),
    'OperationPage',
  ),
})

const catalog = createRoute({
  getParentRoute: () => root,
  path: '/catalog',
  validateSearch: catalogSearch,
  loader: texts('catalog'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/catalog/CatalogPage.tsx')),
    'CatalogPage',
  ),
})

const bundleVersion = createRoute({
  getParentRoute: () => root,
  path: '/catalog/$env/$bundle/$version',
  validateSearch: bundleVersionSearch,
  loader: texts('catalog', 'forms'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/catalog/BundleVersionPage.tsx')),
    'BundleVersionPage',
  ),
})

const plugins = createRoute({
  getParentRoute: () => root,
  path: '/plugins',
  validateSearch: pluginsSearch,
  loader: texts('plugins'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/plugins/PluginsPage.tsx')),
    'PluginsPage',
  ),
})

const plugin = createRoute({
  getParentRoute: () => root,
  path: '/plugins/$id',
  validateSearch: pluginSearch,
  loader: texts('plugins', 'recentOperations'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/plugins/PluginPage.tsx')),
    'PluginPage',
  ),
})

const services = createRoute({
  getParentRoute: () => root,
  path: '/services',
  validateSearch: servicesSearch,
  loader: texts('services'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/services/ServicesPage.tsx')),
    'ServicesPage',
  ),
})

const service = createRoute({
  getParentRoute: () => root,
  path: '/services/$id',
  loader: texts('services'),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/services/ServicePage.tsx')),
    'ServicePage',
  ),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearch,
  loader: texts('audit'),
  component: lazyRouteComponent(() => fetchPart(() => import('./pages/audit/AuditPage.tsx')), 'AuditPage'),
})

const signedOut = createRoute({
  getParentRoute: () => root,
  path: '/signed-out',
  validateSearch: (raw: Raw) => given({ returnTo: text(raw, 'returnTo') }),
  component: lazyRouteComponent(
    () => fetchPart(() => import('./pages/signed-out/SignedOutPage.tsx')),
    'SignedOutPage',
  ),
})

export const routeTree = root.addChildren([
  overview,
  installations,
  installation,
  installationNew,
  scopes,
  configuration,
  localServices,
  operations,
  operation,
  catalog,
  bundleVersion,
  plugins,
  plugin,
  services,
  service,
  audit,
  signedOut,
])
