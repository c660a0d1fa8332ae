import { useState } from 'react'
import type { OperationDraftPlace } from '../drafts/stored-drafts.ts'
import { useShell } from '../shell/shell-context.ts'
import { editsIn } from '../../forms/property/property-edit.ts'
import {
  readFormDraft,
  removeFormDraft,
  writeFormDraft,
  type RestoredDraft,
  hasInput,
  type OperationInput,
  type OperationValues,
} from './form-draft.ts'
import type { FormResource } from './property-form.ts'

export interface FormDraft {
  /** What was restored when the form opened; null after it was dismissed. */
  restored: RestoredDraft | null
  /** The values that the form starts with; undefined if nothing was restored. */
  initial: OperationValues | undefined
  dismiss: () => void
  /** Keeps the input, with the snapshot that the values are based on. */
  keep: (input: OperationInput, base?: number | null) => void
  remove: () => void
}

/**
 * Keeps the input of an install or upgrade in this browser, and restores it when the form opens. Sensitive values are
 * never stored. Without a place nothing is kept.
 */
export function useFormDraft(
  { place, title }: { place: OperationDraftPlace | null; title: string },
  resources: readonly FormResource[],
  input: OperationInput,
): FormDraft {
  const personId = useShell().user?.id
  const draft = personId === undefined || place === null ? null : { personId, place, title }
  const [restored, setRestored] = useState(() =>
    draft === null ? null : withInput(readFormDraft(draft, resources), input),
  )
  const [initial] = useState(restored?.values)
  return {
    restored,
    initial,
    dismiss: () => setRestored(null),
    keep: (given, base = null) => draft && writeFormDraft(draft, resources, given, base),
    remove: () => draft && removeFormDraft(draft),
  }
}

/** Input that another version of the form has handed over wins over what is stored; null if that adds nothing. */
function withInput(stored: RestoredDraft | null, { values }: OperationInput): RestoredDraft | null {
  if (stored === null || !hasInput({ values })) return stored
  const handedOver = editsIn(values)
  const isNew = Object.keys(stored.values.edits).some((id) => !handedOver.has(id))
  if (!isNew) return null
  const edits = { ...stored.values.edits, ...values.edits }
  return { ...stored, values: { edits, reason: values.reason } }
}
