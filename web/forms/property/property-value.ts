import type { PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Edit } from './property-edit.ts'

/** The value in a view; null if there is none or if it is hidden. */
export function valueOf(view: PropertyView | null): TypedValue | null {
  if (view === null) return null
  if (view['@type'] !== 'Data') return view
  // the schema guarantees that a record of `Json` is JSON, but types it as unknown
  return 'isSensitive' in view ? null : { '@type': 'Data', value: view.value }
}

/** The value that `plainOf` gives as this, of the same type as another one. */
export function typedAs(plain: JsonValue, like: TypedValue): TypedValue {
  const reference = (serviceId: JsonValue | undefined) => ({
    '@type': 'ServiceReference' as const,
    serviceId: String(serviceId),
  })
  switch (like['@type']) {
    case 'Data':
      return { '@type': 'Data', value: plain }
    case 'ServiceReference':
      return reference(plain)
    case 'ServiceReferenceList':
      return { '@type': 'ServiceReferenceList', valueList: Array.isArray(plain) ? plain.map(reference) : [] }
    case 'ServiceReferenceMap': {
      const entries = isJsonObject(plain) ? Object.entries(plain) : []
      return {
        '@type': 'ServiceReferenceMap',
        valueMap: Object.fromEntries(entries.map(([key, serviceId]) => [key, reference(serviceId)])),
      }
    }
  }
}

/** The edit that gives a property this saved value, which is not hidden. */
export function editTo(view: PropertyView | null): Edit {
  const value = valueOf(view)
  return value === null ? { kind: 'removed' } : { kind: 'set', value }
}

export const isHidden = (view: PropertyView | null): boolean =>
  view !== null && view['@type'] === 'Data' && 'isSensitive' in view

/** Whether the runtime has a value. */
export function isSet(view: PropertyView | null): boolean {
  if (view === null) return false
  return view['@type'] === 'Data' && 'isSensitive' in view ? view.isSet : true
}

/** Whether two views show the same. Whether two hidden values are equal cannot be known here. */
export const sameView = (one: PropertyView | null, other: PropertyView | null): boolean =>
  deepEqual(one, other)

/** True if an edit would leave the property as the view shows it. A hidden value is never known to be equal. */
export function changesNothing(edit: Edit, view: PropertyView | null): boolean {
  switch (edit.kind) {
    case 'unfinished':
      return false
    case 'removed':
      return !isSet(view)
    case 'set':
      return !isHidden(view) && view !== null && deepEqual(edit.value, view)
  }
}

/** An edit as others would see it: of a sensitive value, only whether it is set. */
export function viewOf(edit: Edit, isSensitive: boolean): PropertyView | null {
  if (isSensitive) return { '@type': 'Data', isSensitive: true, isSet: edit.kind !== 'removed' }
  if (edit.kind === 'set') {
    const { value } = edit
    return value['@type'] === 'Data' ? { '@type': 'Data', value: value.value } : value
  }
  return edit.kind === 'removed' ? null : { '@type': 'Data', value: edit.text }
}

/** Whether a value has the structure of a service reference, or of a map or list of them. */
export function isReferenceShape(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  switch (value['@type']) {
    case 'ServiceReference':
      return isReference(value)
    case 'ServiceReferenceMap':
      return isJsonObject(value['valueMap']) && Object.values(value['valueMap']).every(isReference)
    case 'ServiceReferenceList':
      return Array.isArray(value['valueList']) && value['valueList'].every(isReference)
    default:
      return false
  }
}

const isReference = (value: unknown): boolean =>
  isJsonObject(value) && value['@type'] === 'ServiceReference' && typeof value['serviceId'] === 'string'
