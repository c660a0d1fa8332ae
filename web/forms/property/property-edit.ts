import type { JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { FieldId } from './property-place.ts'

/**
 * A person's edit of a property: set to a value, removed, or input that is not a value yet, such as a partial number or
 * incomplete JSON, which is kept as typed. A partial number is marked, because only its control knows that it is one.
 * Where only places inside the value are unfinished, `inside` has them and the value without them; `text` is then that
 * value as JSON.
 */
export type Edit =
  | { kind: 'set'; value: TypedValue }
  | { kind: 'removed' }
  | { kind: 'unfinished'; text: string; isPartialNumber?: true; inside?: { value: JsonValue; parts: Parts } }

/** Input that is not a value yet, or a key that no entry can have, at one place inside a value. */
export type Part = {
  text?: string
  isPartialNumber?: true
  /** The key as typed, of the entry that has another one until then. */
  key?: string
}

/** By JSON pointer into the value. */
export type Parts = Record<string, Part>

export const NO_PARTS: Parts = {}

export function setData(definition: PropertyDefinition, value: JsonValue): Edit {
  const data = { '@type': 'Data' as const, value }
  return { kind: 'set', value: definition.isSensitive === true ? { ...data, isSensitive: true } : data }
}

/** The value of a Data; undefined for anything else. */
export function dataValue(value: TypedValue | null): JsonValue | undefined {
  return value?.['@type'] === 'Data' ? value.value : undefined
}

/** What a control shows of an edit, or of a value without one. */
export interface Shown {
  value: TypedValue | null
  unfinished: string | null
  isPartialNumber: boolean
  parts: Parts
}

export function shownOf(edit: Edit | null, saved: TypedValue | null = null): Shown {
  const none = { unfinished: null, isPartialNumber: false, parts: NO_PARTS }
  if (edit === null) return { ...none, value: saved }
  if (edit.kind !== 'unfinished') return { ...none, value: edit.kind === 'set' ? edit.value : null }
  const { text, isPartialNumber = false, inside } = edit
  return inside === undefined
    ? { value: null, unfinished: text, isPartialNumber, parts: NO_PARTS }
    : { ...none, value: { '@type': 'Data', value: inside.value }, parts: inside.parts }
}

/** The edit that sets a value, some places of which may be unfinished. */
export function editWith(definition: PropertyDefinition, value: JsonValue, parts: Parts): Edit {
  return Object.keys(parts).length === 0
    ? setData(definition, value)
    : { kind: 'unfinished', text: JSON.stringify(value, null, 2), inside: { value, parts } }
}

/**
 * An edit as a form value. react-hook-form copies plain objects on every change, which loses their identity and keys
 * such as `__proto__`; it keeps class instances. The edit is private, because the types of field names would otherwise
 * recurse into JSON without end.
 */
export class FormEdit {
  private readonly edit: Edit

  constructor(edit: Edit) {
    this.edit = edit
  }

  read(): Edit {
    return this.edit
  }
}

/** The part of a form's values that contains properties; null is a property without an edit. */
export interface PropertyFormValues {
  edits: Record<FieldId, FormEdit | null>
}

/**
 * The edits of a form. The form is dirty if there are any: react-hook-form's own `isDirty` treats a field that is
 * mounted without a default value as a change.
 */
export function editsIn({ edits }: PropertyFormValues): Map<FieldId, Edit> {
  return new Map(Object.entries(edits).flatMap(([id, held]) => (held ? [[id, held.read()] as const] : [])))
}
