import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import type { FieldId, PropertyPlace } from '../../../forms/property/property-place.ts'
import { changesNothing, editTo, isHidden } from '../../../forms/property/property-value.ts'
import type { Left } from '../../../subjects/arrival/left.ts'
import type { Edits, FormResource } from '../../../subjects/operation-form/property-form.ts'
import type { ArrivingValue } from '../../../subjects/scopes/place-bound.ts'

/** A value of another place that is not taken unless a person ticks it. */
export type HeldValue = ArrivingValue & {
  id: FieldId
  definition: PropertyDefinition
  /** The title of its resource. */
  resource: string
}

/** Values that were read together, as the edits of an install, and what was left out. */
export interface ArrivedValues {
  /** Null where the value is what holds without an edit. */
  edits: ReadonlyMap<FieldId, Edit | null>
  /** Each with the input of the person that it would replace. */
  held: readonly (HeldValue & { own: Edit | null })[]
  left: readonly (PropertyPlace & { why: Left })[]
  /** Those that would replace another input of the person: the input stays unless a person ticks them. */
  differing: readonly (HeldValue & { own: Edit })[]
}

/**
 * Takes values of a file or of another installation into the form of an install.
 *
 * @param isWritten Whether a plugin writes a property, and not a person.
 * @param entered What the person has entered so far.
 */
export function takeValues(
  values: readonly ArrivingValue[],
  form: readonly FormResource[],
  { isWritten, entered }: { isWritten: (place: PropertyPlace) => boolean; entered: Edits },
): ArrivedValues {
  const fields = new Map(
    form.flatMap(({ title, fields: own }) =>
      own.map((field) => [`${field.locator} ${field.property}`, { ...field, resource: title }] as const),
    ),
  )
  const edits = new Map<FieldId, Edit | null>()
  const held: ArrivedValues['held'][number][] = []
  const left: (PropertyPlace & { why: Left })[] = []
  const differing: ArrivedValues['differing'][number][] = []
  for (const arriving of values) {
    const { locator, property, value, bound } = arriving
    const field = fields.get(`${locator} ${property}`)
    if (field === undefined) {
      left.push({ locator, property, why: isWritten(arriving) ? 'plugin' : 'gone' })
      continue
    }
    const { id, definition, resource, fallback } = field
    if (definition.isSensitive === true || isHidden(value)) {
      left.push({ locator, property, why: 'sensitive' })
      continue
    }
    const edit = editTo(value)
    const isSame = changesNothing(edit, fallback.view)
    const own = entered.get(id)
    if (isSame && own === undefined) continue
    if (bound !== null && !isSame) {
      held.push({ ...arriving, id, definition, resource, own: own ?? null })
      continue
    }
    if (own !== undefined && !deepEqual(own, edit)) {
      differing.push({ ...arriving, id, definition, resource, own })
      continue
    }
    edits.set(id, isSame ? null : edit)
  }
  return { edits, held, left, differing }
}
