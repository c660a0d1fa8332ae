import { deepEqual } from '#contract/json-schema/json.ts'
import { setData } from '../../../forms/property/edit.ts'
import { isSet, valueOf } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { FieldParts } from './field-parts.ts'
import { SmallButton } from './SmallButton.tsx'

/** Other actions on the value: use the default, or remove the value. */
export function FieldHints(parts: FieldParts) {
  const { definition, onEdit } = parts
  const t = useText()
  const { default: standard } = definition
  return (
    <>
      {offersDefault(parts) && standard !== undefined && (
        <SmallButton className={ON_HOVER} onClick={() => onEdit(setData(definition, standard))}>
          {t('forms.setDefault')}
        </SmallButton>
      )}
      {isRemovable(parts) && (
        <SmallButton className={ON_HOVER} onClick={() => onEdit({ kind: 'removed' })}>
          {t('forms.remove')}
        </SmallButton>
      )}
    </>
  )
}

/** Whether there are any hints to show. */
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

/**
 * Visible on hover and focus only, since it would be noise at each of two hundred fields. Always visible without a
 * mouse.
 */
const ON_HOVER =
  'text-muted hover:text-ink [@media(hover:hover)]:opacity-0 group-hover:opacity-100 group-focus-within:opacity-100'
