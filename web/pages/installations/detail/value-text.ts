import type { InstalledResource } from '#contract/console-api/shapes.ts'

/** A value as text to search in; empty for a sensitive one, which is not shown. */
export function valueText(view: InstalledResource['properties'][string]): string {
  if ('isSensitive' in view) return ''
  if ('serviceId' in view) return view.serviceId
  const value = 'value' in view ? view.value : 'valueMap' in view ? view.valueMap : view.valueList
  return typeof value === 'string' ? value : JSON.stringify(value)
}
