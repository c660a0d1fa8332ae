import { useState } from 'react'
import type { Problem } from '#contract/console-api/problem.ts'
import type { Edit } from '../../../forms/edit.ts'
import { problemText } from '../../../forms/problem-text.ts'
import { useText } from '../../../i18n/use-text.ts'
import { fieldId, type Edits, type FormField, type FormResource } from './property-form.ts'

type Detail = NonNullable<Problem['details']>[number]

/** What somebody made of the fields of a form, and what is wrong with it. */
export type PropertyEdits = {
  edits: Edits
  edit: (id: string, edit: Edit) => void
  reset: (id: string) => void
  /** What is wrong with a field: told by the runtime, or seen here already. */
  problemOf: (field: FormField) => string | null
  /** The fields that cannot be sent as they are; from now on those that lack a value say so. */
  check: (form: readonly FormResource[]) => FormField[]
  /** How many of them there are, once it was tried to send them. */
  countWrong: (form: readonly FormResource[]) => number
  /** Puts the problems of a refusal at their fields, and returns those that have none in the form. */
  take: (details: readonly Detail[], form: readonly FormResource[]) => Detail[]
}

export function usePropertyEdits(): PropertyEdits {
  const t = useText()
  const [edits, setEdits] = useState<Edits>(new Map())
  const [remarks, setRemarks] = useState<ReadonlyMap<string, string>>(new Map())
  const [isChecked, setChecked] = useState(false)

  const change = (id: string, edit: Edit | undefined) => {
    setEdits((old) => withEntry(old, id, edit))
    // it was about the value that was sent
    setRemarks((old) => withEntry(old, id, undefined))
  }
  const wrong = (field: FormField, tellMissing: boolean): string | null => {
    const edit = edits.get(field.id)
    if (edit !== undefined) return problemText(field.definition, edit, t)
    return field.isNeeded && tellMissing ? t('installations.form.missing') : null
  }
  const wrongIn = (form: readonly FormResource[]) =>
    form.flatMap(({ fields }) => fields).filter((field) => wrong(field, true) !== null)
  return {
    edits,
    edit: change,
    reset: (id) => change(id, undefined),
    problemOf: (field) => wrong(field, isChecked) ?? remarks.get(field.id) ?? null,
    check: (form) => {
      setChecked(true)
      return wrongIn(form)
    },
    countWrong: (form) => (isChecked ? wrongIn(form).length : 0),
    take: (details, form) => {
      const known = new Set(form.flatMap(({ fields }) => fields.map(({ id }) => id)))
      const at = (detail: Detail) => fieldId(detail.locator ?? '', detail.property ?? '')
      const mine = details.filter((detail) => known.has(at(detail)))
      setRemarks(new Map(mine.map((detail) => [at(detail), messageOf(detail)])))
      return details.filter((detail) => !mine.includes(detail))
    },
  }
}

const messageOf = ({ path, message }: Detail): string => (path ? `${path}: ${message}` : message)

function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  key: string,
  value: Value | undefined,
): ReadonlyMap<string, Value> {
  if (value === undefined && !map.has(key)) return map
  const next = new Map(map)
  if (value === undefined) next.delete(key)
  else next.set(key, value)
  return next
}
