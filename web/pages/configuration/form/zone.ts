import type { ConfigurationResource, PropertyView } from '#contract/console-api/shapes.ts'
import type { DraftEdit } from '../editor/draft.ts'
import { valueOf } from '../../../forms/property/property-value.ts'

const NAMES = ['timeZone', 'timezone', 'zone']

/** The property of a TIMER that sets the time zone of its schedule, if there is one. */
export function zoneProperty({ kind, definitions }: ConfigurationResource): string | undefined {
  if (kind !== 'TIMER') return undefined
  return NAMES.find((name) => Object.hasOwn(definitions, name))
}

/** The time zone that would be saved; undefined if this browser does not know it. */
export function zoneOf(edit: DraftEdit | undefined, view: PropertyView | null): string | undefined {
  const value = edit === undefined ? valueOf(view) : edit.edit.kind === 'set' ? edit.edit.value : null
  const name = value?.['@type'] === 'Data' ? value.value : undefined
  if (typeof name !== 'string') return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
