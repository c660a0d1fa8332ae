import type { PagePath } from '#contract/console-api/pages/page-reads.ts'
import type { PageNamespace } from './i18n/catalogue.ts'

interface PageParts {
  /** The module of the page, below `web/pages`. */
  module: string
  /** The texts that it uses in addition to the core texts. */
  texts: readonly PageNamespace[]
}

/**
 * The parts of each page, by the path of its route. The build reads this table too, so that a document can preload the
 * scripts of its page (`scripts/console/page-scripts.ts`).
 */
export const pageParts = {
  '/': { module: 'overview/OverviewPage.tsx', texts: ['overview', 'operations'] },
  '/installations': { module: 'installations/InstallationsPage.tsx', texts: ['installations', 'selection'] },
  '/installations/new': {
    module: 'installations/InstallPage.tsx',
    texts: ['installations', 'forms', 'plans'],
  },
  '/installations/$id': {
    module: 'installations/InstallationPage.tsx',
    texts: ['installations', 'recentOperations'],
  },
  '/versions': { module: 'versions/VersionsPage.tsx', texts: ['versions'] },
  '/scopes': { module: 'scopes/ScopesPage.tsx', texts: ['scopes'] },
  '/scopes/$env/$runtime/$workspace/configuration': {
    module: 'configuration/ConfigurationPage.tsx',
    texts: ['configuration', 'forms', 'plans'],
  },
  '/scopes/$env/$runtime/$workspace/local-services': {
    module: 'local-services/LocalServicesPage.tsx',
    texts: ['localServices', 'forms'],
  },
  '/operations': { module: 'operations/OperationsPage.tsx', texts: ['operations', 'selection'] },
  '/operations/$id': { module: 'operations/OperationPage.tsx', texts: ['operations', 'operationTimeline'] },
  '/batches': { module: 'batches/BatchesPage.tsx', texts: ['batches', 'selection'] },
  '/batches/$id': { module: 'batches/BatchPage.tsx', texts: ['batches', 'selection'] },
  '/receipt': { module: 'receipt/ReceiptPage.tsx', texts: ['operations', 'operationTimeline'] },
  '/catalog': { module: 'catalog/CatalogPage.tsx', texts: ['catalog'] },
  '/catalog/$env/$bundle/$version': { module: 'catalog/BundleVersionPage.tsx', texts: ['catalog', 'forms'] },
  '/plugins': { module: 'plugins/PluginsPage.tsx', texts: ['plugins'] },
  '/plugins/$id': { module: 'plugins/PluginPage.tsx', texts: ['plugins', 'recentOperations'] },
  '/notifications': { module: 'notifications/NotificationsPage.tsx', texts: ['notifications'] },
  '/notifications/$id': { module: 'notifications/WebhookPage.tsx', texts: ['notifications'] },
  '/services': { module: 'services/ServicesPage.tsx', texts: ['services'] },
  '/services/$id': { module: 'services/ServicePage.tsx', texts: ['services'] },
  '/audit': { module: 'audit/AuditPage.tsx', texts: ['audit', 'codeTitles'] },
} as const satisfies Record<PagePath, PageParts>
