import { HEALTH_RANGE_NAMES } from '../vocabulary.ts'
import { omitUndefined, oneOf, text, type Raw } from './search-params.ts'

export const pluginsSearch = (raw: Raw) => omitUndefined({ q: text(raw, 'q'), cursor: text(raw, 'cursor') })
export type PluginsSearch = ReturnType<typeof pluginsSearch>

/** The first one is shown unless the address names another. */
export const PLUGIN_TABS = ['health', 'operations', 'credentials', 'reports'] as const

export const pluginSearch = (raw: Raw) =>
  omitUndefined({ tab: oneOf(raw, 'tab', PLUGIN_TABS), range: oneOf(raw, 'range', HEALTH_RANGE_NAMES) })
export type PluginSearch = ReturnType<typeof pluginSearch>

export const pluginsCall = (search: PluginsSearch) => ({ query: { ...search, limit: 50 } })
export const pluginCall = (pluginId: string) => ({ params: { pluginId } })
export const pluginReportsCall = (pluginId: string) => ({ params: { pluginId }, query: {} })
export const pluginReportCall = (pluginId: string, version: string) => ({
  params: { pluginId, version },
  query: {},
})
export const pluginHealthCall = (pluginId: string, { range = 'day' }: PluginSearch) => ({
  params: { pluginId },
  query: { range },
})
