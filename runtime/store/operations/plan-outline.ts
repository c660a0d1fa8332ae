import { isJsonObject } from '#contract/json-schema/json.ts'

function isPlugin(plugin: unknown): boolean {
  if (!isJsonObject(plugin) || typeof plugin['pluginId'] !== 'string') return false
  return isListOf(plugin['resources'], (item) => isJsonObject(item) && Array.isArray(item['writeProperties']))
}

const isListOf = (list: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(list) && list.every(isItem)

/** Whether a stored plan has the shape of a plan. If so, an error inside it affects only its own operation. */
export function hasPlanOutline(plan: unknown): boolean {
  if (!isJsonObject(plan)) return false
  const { resources, plugins, changes } = plan
  return isListOf(resources, isJsonObject) && isListOf(changes, isJsonObject) && isListOf(plugins, isPlugin)
}
