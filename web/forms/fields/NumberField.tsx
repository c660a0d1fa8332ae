import { useController, type FieldValues } from 'react-hook-form'
import { Field } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/TextInput.tsx'
import { useFormBusy } from '../form/Form.tsx'
import type { FieldProps } from './field-props.ts'

/** A number, stored as the typed text, so that a partial number is not lost. */
export function NumberField<Values extends FieldValues>({
  control,
  name,
  ...rest
}: FieldProps<Values, string>) {
  const { field, fieldState } = useController({ control, name })
  const busy = useFormBusy()
  return (
    <Field {...rest} error={fieldState.error?.message}>
      {(wiring) => (
        <NumberInput
          {...wiring}
          readOnly={busy}
          value={field.value}
          onBlur={field.onBlur}
          onChange={field.onChange}
        />
      )}
    </Field>
  )
}
