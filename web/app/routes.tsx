import { lazyRouteComponent, Outlet, useLocation } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { PagePath } from '#contract/console-api/pages/pages.ts'
import { pageRoutes, rootRoute, routeTree, signedOutRoute } from '../addresses/routes.ts'
import { loadWithRetry } from '../base/load-with-retry.ts'
import { Shell } from '../layouts/Shell.tsx'

type LoadComponent = () => Promise<ComponentType>

/** The component of each page, each a script of its own; the table `pages` of the contract has the rest of the page. */
const COMPONENTS: Readonly<Record<PagePath, LoadComponent>> = {
  '/': async () => (await import('../pages/overview/OverviewPage.tsx')).OverviewPage,
  '/installations': async () =>
    (await import('../pages/installations/InstallationsPage.tsx')).InstallationsPage,
  '/installations/$id': async () =>
    (await import('../pages/installations/InstallationPage.tsx')).InstallationPage,
  '/installations/new': async () => (await import('../pages/installations/InstallPage.tsx')).InstallPage,
  '/versions': async () => (await import('../pages/versions/VersionsPage.tsx')).VersionsPage,
  '/properties': async () => (await import('../pages/properties/PropertiesPage.tsx')).PropertiesPage,
  '/scopes': async () => (await import('../pages/scopes/ScopesPage.tsx')).ScopesPage,
  '/scopes/$env/$runtime/$workspace/configuration': async () =>
    (await import('../pages/configuration/ConfigurationPage.tsx')).ConfigurationPage,
  '/scopes/$env/$runtime/$workspace/local-services': async () =>
    (await import('../pages/local-services/LocalServicesPage.tsx')).LocalServicesPage,
  '/operations': async () => (await import('../pages/operations/OperationsPage.tsx')).OperationsPage,
  '/operations/$id': async () => (await import('../pages/operations/OperationPage.tsx')).OperationPage,
  '/causes/$id': async () => (await import('../pages/causes/CausePage.tsx')).CausePage,
  '/duty': async () => (await import('../pages/duty/DutyPage.tsx')).DutyPage,
  '/change-requests': async () =>
    (await import('../pages/change-requests/ChangeRequestsPage.tsx')).ChangeRequestsPage,
  '/change-requests/calendar': async () => (await import('../pages/calendar/CalendarPage.tsx')).CalendarPage,
  '/change-requests/$id': async () =>
    (await import('../pages/change-requests/ChangeRequestPage.tsx')).ChangeRequestPage,
  '/batches': async () => (await import('../pages/batches/BatchesPage.tsx')).BatchesPage,
  '/batches/$id': async () => (await import('../pages/batches/BatchPage.tsx')).BatchPage,
  '/receipt': async () => (await import('../pages/receipt/ReceiptPage.tsx')).ReceiptPage,
  '/catalog': async () => (await import('../pages/catalog/CatalogPage.tsx')).CatalogPage,
  '/catalog/$env/$bundle/$version': async () =>
    (await import('../pages/catalog/BundleVersionPage.tsx')).BundleVersionPage,
  '/plugins': async () => (await import('../pages/plugins/PluginsPage.tsx')).PluginsPage,
  '/plugins/$id': async () => (await import('../pages/plugins/PluginPage.tsx')).PluginPage,
  '/inbox': async () => (await import('../pages/inbox/InboxPage.tsx')).InboxPage,
  '/notifications': async () =>
    (await import('../pages/notifications/NotificationsPage.tsx')).NotificationsPage,
  '/notifications/$id': async () => (await import('../pages/notifications/WebhookPage.tsx')).WebhookPage,
  '/services': async () => (await import('../pages/services/ServicesPage.tsx')).ServicesPage,
  '/services/$id': async () => (await import('../pages/services/ServicePage.tsx')).ServicePage,
  '/sessions': async () => (await import('../pages/sessions/SessionsPage.tsx')).SessionsPage,
  '/service-accounts': async () =>
    (await import('../pages/service-accounts/ServiceAccountsPage.tsx')).ServiceAccountsPage,
  '/freezes': async () => (await import('../pages/freezes/FreezesPage.tsx')).FreezesPage,
  '/audit': async () => (await import('../pages/audit/AuditPage.tsx')).AuditPage,
}

/** It is loaded with the route, also when a link to it is hovered. */
const componentOf = (load: LoadComponent) =>
  lazyRouteComponent(() => loadWithRetry(async () => ({ default: await load() })))

/** The only page outside of the shell is the one without a session. */
function Frame() {
  const signedOut = useLocation({ select: (location) => location.pathname === '/signed-out' })
  return signedOut ? <Outlet /> : <Shell />
}

for (const [path, load] of Object.entries(COMPONENTS))
  pageRoutes[path as PagePath].update({ component: componentOf(load) })

signedOutRoute.update({
  component: componentOf(async () => (await import('../pages/signed-out/SignedOutPage.tsx')).SignedOutPage),
})

rootRoute.update({
  component: Frame,
  notFoundComponent: componentOf(
    async () => (await import('../pages/not-found/NotFoundPage.tsx')).NotFoundPage,
  ),
})

/** The addresses of the console with their components. */
export { routeTree }
