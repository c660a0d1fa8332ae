import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'

type Reference = Readonly<{ serviceId: string }>

/** Any value that is not hidden. */
type Visible =
  | { '@type': 'Data'; value: JsonValue }
  | ({ '@type': 'ServiceReference' } & Reference)
  | { '@type': 'ServiceReferenceMap'; valueMap: Readonly<Record<string, Reference>> }
  | { '@type': 'ServiceReferenceList'; valueList: readonly Reference[] }

/** A value without its wrapper; references are the ids of services. Changes are found and merged in this form. */
export function plainOf(value: Visible): JsonValue {
  switch (value['@type']) {
    case 'Data':
      return value.value
    case 'ServiceReference':
      return value.serviceId
    case 'ServiceReferenceList':
      return value.valueList.map(({ serviceId }) => serviceId)
    case 'ServiceReferenceMap':
      return Object.fromEntries(
        Object.entries(value.valueMap).map(([key, { serviceId }]) => [key, serviceId]),
      )
  }
}

/** What a view shows as plain JSON; undefined if it is hidden or nothing is set. */
export function plainIn(
  view: PropertyView | { '@type': 'Data'; value: unknown } | null,
): JsonValue | undefined {
  if (view === null || 'isSensitive' in view) return undefined
  // the schema guarantees that what the API shows is JSON, but types it as unknown
  return view['@type'] === 'Data' ? (view.value as JsonValue) : plainOf(view)
}
