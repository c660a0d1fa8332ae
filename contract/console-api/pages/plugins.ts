import { HEALTH_RANGE_NAMES, PLUGIN_CALL_KINDS, PLUGIN_CALL_RESULTS } from '../vocabulary.ts'
import { omitUndefined, oneOf, someOf, text, time, type Raw } from './search-params.ts'

export const pluginsSearch = (raw: Raw) => omitUndefined({ q: text(raw, 'q'), cursor: text(raw, 'cursor') })
export type PluginsSearch = ReturnType<typeof pluginsSearch>

/** The first one is shown unless the address names another. */
export const PLUGIN_TABS = ['health', 'operations', 'calls', 'credentials', 'reports'] as const

export const pluginSearch = (raw: Raw) =>
  omitUndefined({
    tab: oneOf(raw, 'tab', PLUGIN_TABS),
    range: oneOf(raw, 'range', HEALTH_RANGE_NAMES),
    // of its calls
    kind: someOf(raw, 'kind', PLUGIN_CALL_KINDS),
    result: someOf(raw, 'result', PLUGIN_CALL_RESULTS),
    code: text(raw, 'code'),
    operation: text(raw, 'operation'),
    since: time(raw, 'since'),
    until: time(raw, 'until'),
    cursor: text(raw, 'cursor'),
  })
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
export const pluginCallsCall = (
  pluginId: string,
  { kind, result, code, operation: operationId, since, until, cursor }: PluginSearch,
) => ({
  params: { pluginId },
  query: omitUndefined({ kind, result, code, operationId, since, until, cursor, limit: 50 }),
})
