import { useState } from 'react'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { dataValue, editWith, setData, type Edit } from '../property-edit.ts'
import { firstValue, shownVariant, takesNumber } from '../inner-value.ts'
import type { ControlProps } from './control-props.ts'

/** What the person did last in this control. */
interface OwnEdit {
  at: number
  edit: Edit
  /** What was last in each variant that the person left. */
  left: ReadonlyMap<number, Edit>
}

const NOTHING_LEFT: OwnEdit['left'] = new Map()

/**
 * The variant that is shown, as an index; -1 for none. It stays while the person edits it, even if the value comes to
 * satisfy another one. Each variant keeps what was last in it, also input that is not a value yet, until the value is
 * replaced from outside: by a reset, or by the item of a list that takes the place of this one.
 */
export function useVariant(props: ControlProps, variants: readonly JsonObject[]) {
  const { definition, saved = null, onEdit } = props
  const [own, setOwn] = useState<OwnEdit | null>(null)
  const isOwn = own !== null && isInVariant(own, props, variants)
  const at = isOwn ? own.at : variantShown(props, variants)
  const left = isOwn ? own.left : NOTHING_LEFT
  const edit = (next: OwnEdit) => {
    setOwn(next)
    onEdit(next.edit)
  }
  const firstEdit = (next: number): Edit =>
    saved !== null && shownVariant(variants, dataValue(saved)) === next
      ? { kind: 'set', value: saved }
      : setData(definition, firstValue(variants[next] ?? {}))
  return {
    at,
    /** Whether the person has edited it here. */
    isOwn,
    editVariant: (next: Edit) => edit({ at, edit: next, left }),
    switchTo: (next: number) => {
      const current = isOwn ? own.edit : editOf(props)
      const nowLeft = current === null ? left : new Map(left).set(at, current)
      edit({ at: next, edit: nowLeft.get(next) ?? firstEdit(next), left: nowLeft })
    },
  }
}

function variantShown({ value, unfinished, isPartialNumber }: ControlProps, variants: readonly JsonObject[]) {
  if (unfinished === null) return shownVariant(variants, dataValue(value))
  return isPartialNumber ? variants.findIndex(takesNumber) : -1
}

/** Whether a control still has what an edit of a variant made of its value. */
function isInVariant({ at, edit }: OwnEdit, props: ControlProps, variants: readonly JsonObject[]) {
  if (variants[at] === undefined) return false
  const now = editOf(props)
  // a list keeps an empty text in the place of an item without a value
  if (edit.kind === 'removed') return now === null || dataValue(props.value) === ''
  return now !== null && deepEqual(now, edit)
}

/** What would lead to the same again; null for no value. */
function editOf({ definition, value, unfinished, parts }: ControlProps): Edit | null {
  // of what is unfinished, variants show only numbers
  if (unfinished !== null) return { kind: 'unfinished', text: unfinished, isPartialNumber: true }
  const data = dataValue(value)
  return data === undefined ? null : editWith(definition, data, parts)
}
