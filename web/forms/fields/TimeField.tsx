import { useController, type FieldValues } from 'react-hook-form'
import { Field } from '../../ui/Field.tsx'
import { useFormBusy } from '../form/Form.tsx'
import type { FieldProps } from './field-props.ts'

/** A day and a time of the person's clock, as the browser's own control writes it: `2026-12-24T22:00`, or empty. */
export function TimeField<Values extends FieldValues>({
  control,
  name,
  ...rest
}: FieldProps<Values, string>) {
  const { field, fieldState } = useController({ control, name })
  const busy = useFormBusy()
  return (
    <Field {...rest} error={fieldState.error?.message}>
      {(wiring) => (
        <input
          {...wiring}
          type="datetime-local"
          className="control"
          readOnly={busy}
          value={field.value}
          onBlur={field.onBlur}
          onChange={({ target }) => field.onChange(target.value)}
        />
      )}
    </Field>
  )
}
