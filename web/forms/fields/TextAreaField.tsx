import { useController, type FieldValues } from 'react-hook-form'
import { Field } from '../../ui/Field.tsx'
import { TextArea } from '../../ui/TextInput.tsx'
import { useFormBusy } from '../form/Form.tsx'
import type { FieldProps } from './field-props.ts'

/** A field for multi-line text. */
export function TextAreaField<Values extends FieldValues>({
  control,
  name,
  code = false,
  rows,
  maxLength,
  ...rest
}: FieldProps<Values, string> & { code?: boolean; rows?: number; maxLength?: number }) {
  const { field, fieldState } = useController({ control, name })
  const busy = useFormBusy()
  return (
    <Field {...rest} error={fieldState.error?.message}>
      {(wiring) => (
        <TextArea
          {...wiring}
          code={code}
          {...(rows !== undefined && { rows })}
          maxLength={maxLength}
          readOnly={busy}
          value={field.value}
          onBlur={field.onBlur}
          onChange={field.onChange}
        />
      )}
    </Field>
  )
}
