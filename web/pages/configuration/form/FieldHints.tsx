import { deepEqual } from '#contract/json-schema/json.ts'
import { setData } from '../../../forms/property/edit.ts'
import { isSet, valueOf } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { FieldParts } from './field-parts.ts'
import { SmallButton } from './SmallButton.tsx'

/** What else a person can do with the value: take the default, or remove it. */
export function FieldHints(parts: FieldParts) {
  const { definition, onEdit } = parts
  const t = useText()
  const { default: standard } = definition
  return (
    <>
      {offersDefault(parts) && standard !== undefined && (
        <SmallButton className={QUIET} onClick={() => onEdit(setData(definition, standard))}>
          {t('forms.setDefault')}
        </SmallButton>
      )}
      {isRemovable(parts) && (
        <SmallButton className={QUIET} onClick={() => onEdit({ kind: 'removed' })}>
          {t('forms.remove')}
        </SmallButton>
      )}
    </>
  )
}

/** Whether there is anything for the hints to offer. */
export const hasHints = (parts: FieldParts): boolean => offersDefault(parts) || isRemovable(parts)

const isRemovable = ({ definition, shown, draftEdit, isOpen }: FieldParts): boolean =>
  isOpen &&
  definition.required !== true &&
  draftEdit?.edit.kind !== 'removed' &&
  (draftEdit !== undefined || isSet(shown))

function offersDefault({ definition, shown, draftEdit, isOpen }: FieldParts): boolean {
  const { default: standard, isSensitive } = definition
  if (!isOpen || standard === undefined || isSensitive === true) return false
  const value =
    draftEdit === undefined ? valueOf(shown) : draftEdit.edit.kind === 'set' ? draftEdit.edit.value : null
  return value?.['@type'] !== 'Data' || !deepEqual(value.value, standard)
}

/** Visible on hover and focus only, since it would be noise at each of two hundred fields. Without a mouse it is always visible. */
const QUIET =
  'text-muted hover:text-ink [@media(hover:hover)]:opacity-0 group-hover:opacity-100 group-focus-within:opacity-100'
