import { useController, type FieldValues } from 'react-hook-form'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { useFormBusy } from '../form/Form.tsx'
import type { FieldProps } from './field-props.ts'

/** A single-line text. Keys and URLs have no spaces at their ends, so pasted ones are removed at once. */
export function TextField<Values extends FieldValues>({
  control,
  name,
  kind = 'words',
  maxLength,
  ...rest
}: FieldProps<Values, string> & {
  /** `time`: a day and a time of the person's clock, as `2026-12-24T22:00`. */
  kind?: 'words' | 'code' | 'key' | 'address' | 'time'
  maxLength?: number
}) {
  const { field, fieldState } = useController({ control, name })
  const busy = useFormBusy()
  const isTrimmed = kind === 'key' || kind === 'address'
  return (
    <Field {...rest} error={fieldState.error?.message}>
      {(wiring) => (
        <TextInput
          {...wiring}
          code={kind !== 'words' && kind !== 'time'}
          type={kind === 'time' ? 'datetime-local' : 'text'}
          inputMode={kind === 'address' ? 'url' : undefined}
          maxLength={maxLength}
          readOnly={busy}
          value={field.value}
          onBlur={field.onBlur}
          onChange={({ target }) => field.onChange(isTrimmed ? target.value.trim() : target.value)}
        />
      )}
    </Field>
  )
}
