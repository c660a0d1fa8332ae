import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  notFound,
  Outlet,
  useLocation,
} from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { FILTERS } from './layouts/Understood.tsx'
import { pages, type PagePath } from '#contract/console-api/pages/pages.ts'
import {
  keepNotUnderstood,
  omitUndefined,
  text,
  whole,
  type Raw,
} from '#contract/console-api/pages/search-params.ts'
import { Shell } from './layouts/Shell.tsx'
import { loadPage } from './load-page.ts'
import { loadWithRetry } from './load-with-retry.ts'

export type RouterContext = { queryClient: QueryClient }

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    path?: PagePath
  }
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Frame,
  notFoundComponent: componentOf(
    async () => (await import('./pages/not-found/NotFoundPage.tsx')).NotFoundPage,
  ),
})

/** The only page outside of the shell is the one without a session. */
function Frame() {
  const signedOut = useLocation({ select: (location) => location.pathname === '/signed-out' })
  return signedOut ? <Outlet /> : <Shell />
}

/** A component whose code is a script of its own; it is loaded with the route, also when a link to it is hovered. */
function componentOf(loadComponent: () => Promise<ComponentType>) {
  return lazyRouteComponent(() => loadWithRetry(async () => ({ default: await loadComponent() })))
}

/** What the page understands of its search parameters, and unchanged what it has to name. */
function searchOf<const Path extends PagePath>(path: Path): (typeof pages)[Path]['search'] {
  const { search } = pages[path]
  const filters = FILTERS[path]
  // returns in addition parameters that are named instead of the page
  return filters === undefined ? search : keepNotUnderstood(search, filters === 'all' ? undefined : filters)
}

/** A workspace has one address: `/1e3` and `/01` are none. */
function requireWorkspace(params: object): void {
  // oxlint-disable-next-line typescript/only-throw-error -- the router's way to say so
  if ('workspace' in params && whole({ ...params }, 'workspace') === undefined) throw notFound()
}

/** The route of a page; the table `pages` of the contract has its search parameters and what it reads first. */
const route = <const Path extends PagePath>(path: Path, load: () => Promise<ComponentType>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: searchOf(path),
    staticData: { path },
    loader: (match) => {
      requireWorkspace(match.params)
      return loadPage(path, match)
    },
    component: componentOf(load),
  })

const routes = [
  route('/', async () => (await import('./pages/overview/OverviewPage.tsx')).OverviewPage),
  route(
    '/installations',
    async () => (await import('./pages/installations/InstallationsPage.tsx')).InstallationsPage,
  ),
  route(
    '/installations/$id',
    async () => (await import('./pages/installations/InstallationPage.tsx')).InstallationPage,
  ),
  route(
    '/installations/new',
    async () => (await import('./pages/installations/InstallPage.tsx')).InstallPage,
  ),
  route('/versions', async () => (await import('./pages/versions/VersionsPage.tsx')).VersionsPage),
  route('/scopes', async () => (await import('./pages/scopes/ScopesPage.tsx')).ScopesPage),
  route(
    '/scopes/$env/$runtime/$workspace/configuration',
    async () => (await import('./pages/configuration/ConfigurationPage.tsx')).ConfigurationPage,
  ),
  route(
    '/scopes/$env/$runtime/$workspace/local-services',
    async () => (await import('./pages/local-services/LocalServicesPage.tsx')).LocalServicesPage,
  ),
  route('/operations', async () => (await import('./pages/operations/OperationsPage.tsx')).OperationsPage),
  route('/operations/$id', async () => (await import('./pages/operations/OperationPage.tsx')).OperationPage),
  route('/batches', async () => (await import('./pages/batches/BatchesPage.tsx')).BatchesPage),
  route('/batches/$id', async () => (await import('./pages/batches/BatchPage.tsx')).BatchPage),
  route('/receipt', async () => (await import('./pages/receipt/ReceiptPage.tsx')).ReceiptPage),
  route('/catalog', async () => (await import('./pages/catalog/CatalogPage.tsx')).CatalogPage),
  route(
    '/catalog/$env/$bundle/$version',
    async () => (await import('./pages/catalog/BundleVersionPage.tsx')).BundleVersionPage,
  ),
  route('/plugins', async () => (await import('./pages/plugins/PluginsPage.tsx')).PluginsPage),
  route('/plugins/$id', async () => (await import('./pages/plugins/PluginPage.tsx')).PluginPage),
  route(
    '/notifications',
    async () => (await import('./pages/notifications/NotificationsPage.tsx')).NotificationsPage,
  ),
  route(
    '/notifications/$id',
    async () => (await import('./pages/notifications/WebhookPage.tsx')).WebhookPage,
  ),
  route('/services', async () => (await import('./pages/services/ServicesPage.tsx')).ServicesPage),
  route('/services/$id', async () => (await import('./pages/services/ServicePage.tsx')).ServicePage),
  route('/audit', async () => (await import('./pages/audit/AuditPage.tsx')).AuditPage),
  createRoute({
    getParentRoute: () => root,
    path: '/signed-out',
    validateSearch: (raw: Raw) => omitUndefined({ returnTo: text(raw, 'returnTo') }),
    component: componentOf(async () => (await import('./pages/signed-out/SignedOutPage.tsx')).SignedOutPage),
  }),
] as const

export const routeTree = root.addChildren([...routes])
