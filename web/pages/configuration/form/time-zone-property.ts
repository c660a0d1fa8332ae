import type { ConfigurationResource, PropertyView } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { schemaOf } from '../../../forms/property/control-kind.ts'
import type { DraftEdit } from '../draft/draft.ts'
import { valueOf } from '../../../forms/property/property-value.ts'

/** The names that mean a time zone in bundles that do not declare the format `time-zone`. */
const NAMES = ['timeZone', 'timezone', 'zone']

/** The property of a TIMER that sets the time zone of its schedule, if there is one. */
export function zoneProperty({ kind, definitions }: ConfigurationResource): string | undefined {
  if (kind !== 'TIMER') return undefined
  const declared = Object.keys(definitions).find((name) => formatOf(definitions[name]) === 'time-zone')
  return declared ?? NAMES.find((name) => Object.hasOwn(definitions, name))
}

const formatOf = (definition: PropertyDefinition | undefined) =>
  definition === undefined ? undefined : schemaOf(definition)['format']

/** The time zone that would be saved, by the name that was chosen. */
export function zoneOfProperty(edit: DraftEdit | undefined, view: PropertyView | null): string | undefined {
  const value = edit === undefined ? valueOf(view) : edit.edit.kind === 'set' ? edit.edit.value : null
  const name = value?.['@type'] === 'Data' ? value.value : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}
