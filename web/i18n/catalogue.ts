import type { catalog } from './en/catalog.ts'
import type { attemptTools } from './en/attempt-tools.ts'
import type { audit } from './en/audit.ts'
import type { batches } from './en/batches.ts'
import type { codeTitles } from './en/code-titles.ts'
import type { codes } from './en/codes.ts'
import type { common } from './en/common.ts'
import type { configuration } from './en/configuration.ts'
import type { errors } from './en/errors.ts'
import type { forms } from './en/forms.ts'
import type { installations } from './en/installations.ts'
import type { localServices } from './en/local-services.ts'
import type { notifications } from './en/notifications.ts'
import type { operationHistory } from './en/operation-history.ts'
import type { operationTimeline } from './en/operation-timeline.ts'
import type { operations } from './en/operations.ts'
import type { overview } from './en/overview.ts'
import type { platform } from './en/platform.ts'
import type { plans } from './en/plans.ts'
import type { pluginHealth } from './en/plugin-health.ts'
import type { pluginReports } from './en/plugin-reports.ts'
import type { plugins } from './en/plugins.ts'
import type { recentOperations } from './en/recent-operations.ts'
import type { recovery } from './en/recovery.ts'
import type { references } from './en/references.ts'
import type { refusedWrites } from './en/refused-writes.ts'
import type { scopes } from './en/scopes.ts'
import type { selection } from './en/selection.ts'
import type { services } from './en/services.ts'
import type { shell } from './en/shell.ts'
import type { versions } from './en/versions.ts'
import type { views } from './en/views.ts'
import type { vocabulary } from './en/vocabulary.ts'
import type { Messages } from './messages.ts'

export const LOCALES = ['en', 'zh'] as const
export type Locale = (typeof LOCALES)[number]

/** All texts by namespace. Those of {@link CoreNamespace} load at the start, others with the route of a page. */
export type Catalogue = {
  attemptTools: typeof attemptTools
  audit: typeof audit
  batches: typeof batches
  catalog: typeof catalog
  codeTitles: typeof codeTitles
  codes: typeof codes
  common: typeof common
  configuration: typeof configuration
  errors: typeof errors
  forms: typeof forms
  installations: typeof installations
  localServices: typeof localServices
  notifications: typeof notifications
  operationHistory: typeof operationHistory
  operationTimeline: typeof operationTimeline
  operations: typeof operations
  overview: typeof overview
  platform: typeof platform
  plans: typeof plans
  pluginHealth: typeof pluginHealth
  pluginReports: typeof pluginReports
  plugins: typeof plugins
  recentOperations: typeof recentOperations
  recovery: typeof recovery
  references: typeof references
  refusedWrites: typeof refusedWrites
  scopes: typeof scopes
  selection: typeof selection
  services: typeof services
  shell: typeof shell
  versions: typeof versions
  views: typeof views
  vocabulary: typeof vocabulary
}
export type Namespace = keyof Catalogue
export type CoreNamespace = 'codes' | 'common' | 'errors' | 'platform' | 'shell' | 'vocabulary'
export type PageNamespace = Exclude<Namespace, CoreNamespace>

type Loader = () => Promise<Messages>

/** The modules of the page texts. One line for each language and namespace, so that each is a separate chunk. */
export const pageTexts: Record<Locale, Record<PageNamespace, Loader>> = {
  en: {
    attemptTools: async () => (await import('./en/attempt-tools.ts')).attemptTools,
    audit: async () => (await import('./en/audit.ts')).audit,
    batches: async () => (await import('./en/batches.ts')).batches,
    catalog: async () => (await import('./en/catalog.ts')).catalog,
    codeTitles: async () => (await import('./en/code-titles.ts')).codeTitles,
    configuration: async () => (await import('./en/configuration.ts')).configuration,
    forms: async () => (await import('./en/forms.ts')).forms,
    installations: async () => (await import('./en/installations.ts')).installations,
    localServices: async () => (await import('./en/local-services.ts')).localServices,
    notifications: async () => (await import('./en/notifications.ts')).notifications,
    operationHistory: async () => (await import('./en/operation-history.ts')).operationHistory,
    operationTimeline: async () => (await import('./en/operation-timeline.ts')).operationTimeline,
    operations: async () => (await import('./en/operations.ts')).operations,
    overview: async () => (await import('./en/overview.ts')).overview,
    plans: async () => (await import('./en/plans.ts')).plans,
    pluginHealth: async () => (await import('./en/plugin-health.ts')).pluginHealth,
    pluginReports: async () => (await import('./en/plugin-reports.ts')).pluginReports,
    plugins: async () => (await import('./en/plugins.ts')).plugins,
    recentOperations: async () => (await import('./en/recent-operations.ts')).recentOperations,
    recovery: async () => (await import('./en/recovery.ts')).recovery,
    references: async () => (await import('./en/references.ts')).references,
    refusedWrites: async () => (await import('./en/refused-writes.ts')).refusedWrites,
    scopes: async () => (await import('./en/scopes.ts')).scopes,
    selection: async () => (await import('./en/selection.ts')).selection,
    services: async () => (await import('./en/services.ts')).services,
    versions: async () => (await import('./en/versions.ts')).versions,
    views: async () => (await import('./en/views.ts')).views,
  },
  zh: {
    attemptTools: async () => (await import('./zh/attempt-tools.ts')).attemptTools,
    audit: async () => (await import('./zh/audit.ts')).audit,
    batches: async () => (await import('./zh/batches.ts')).batches,
    catalog: async () => (await import('./zh/catalog.ts')).catalog,
    codeTitles: async () => (await import('./zh/code-titles.ts')).codeTitles,
    configuration: async () => (await import('./zh/configuration.ts')).configuration,
    forms: async () => (await import('./zh/forms.ts')).forms,
    installations: async () => (await import('./zh/installations.ts')).installations,
    localServices: async () => (await import('./zh/local-services.ts')).localServices,
    notifications: async () => (await import('./zh/notifications.ts')).notifications,
    operationHistory: async () => (await import('./zh/operation-history.ts')).operationHistory,
    operationTimeline: async () => (await import('./zh/operation-timeline.ts')).operationTimeline,
    operations: async () => (await import('./zh/operations.ts')).operations,
    overview: async () => (await import('./zh/overview.ts')).overview,
    plans: async () => (await import('./zh/plans.ts')).plans,
    pluginHealth: async () => (await import('./zh/plugin-health.ts')).pluginHealth,
    pluginReports: async () => (await import('./zh/plugin-reports.ts')).pluginReports,
    plugins: async () => (await import('./zh/plugins.ts')).plugins,
    recentOperations: async () => (await import('./zh/recent-operations.ts')).recentOperations,
    recovery: async () => (await import('./zh/recovery.ts')).recovery,
    references: async () => (await import('./zh/references.ts')).references,
    refusedWrites: async () => (await import('./zh/refused-writes.ts')).refusedWrites,
    scopes: async () => (await import('./zh/scopes.ts')).scopes,
    selection: async () => (await import('./zh/selection.ts')).selection,
    services: async () => (await import('./zh/services.ts')).services,
    versions: async () => (await import('./zh/versions.ts')).versions,
    views: async () => (await import('./zh/views.ts')).views,
  },
}

export const coreTexts: Record<Locale, () => Promise<Record<CoreNamespace, Messages>>> = {
  en: async () => (await import('./en/core.ts')).core,
  zh: async () => (await import('./zh/core.ts')).core,
}
