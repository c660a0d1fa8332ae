import type { Control, FieldPathByValue, FieldValues } from 'react-hook-form'
import { useText } from '../../i18n/use-text.ts'
import { TextAreaField } from './TextAreaField.tsx'

/** What a reason may have at most. */
export const REASON_MAX = 1000

/** The person's reason, for the audit log and the operation. */
export function ReasonField<Values extends FieldValues & { reason: string }>({
  control,
  label,
  need = 'optional',
  rows = 2,
  className,
}: {
  control: Control<Values>
  /** Defaults to "Reason". */
  label?: string
  need?: 'required' | 'optional'
  rows?: number
  className?: string
}) {
  const t = useText()
  return (
    <TextAreaField
      control={control}
      // the type of `Values` guarantees this field, but the type of its paths does not know it
      name={'reason' as FieldPathByValue<Values, string>}
      label={label ?? t('common.form.reason')}
      need={need}
      rows={rows}
      maxLength={REASON_MAX}
      {...(className !== undefined && { className })}
    />
  )
}
