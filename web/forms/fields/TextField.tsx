import { useController, type FieldValues } from 'react-hook-form'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { useFormBusy } from '../form/Form.tsx'
import type { FieldProps } from './field-props.ts'

const TIMES = { time: 'datetime-local', timeOfDay: 'time' } as const

/** A single-line text. Keys and URLs have no spaces at their ends, so pasted ones are removed at once. */
export function TextField<Values extends FieldValues>({
  control,
  name,
  kind = 'words',
  maxLength,
  ...rest
}: FieldProps<Values, string> & {
  /** `time`: a day and a time of a clock, as `2026-12-24T22:00`; `timeOfDay`: as `22:00`. */
  kind?: 'words' | 'code' | 'key' | 'address' | keyof typeof TIMES
  maxLength?: number
}) {
  const { field, fieldState } = useController({ control, name })
  const busy = useFormBusy()
  const type = kind === 'time' || kind === 'timeOfDay' ? TIMES[kind] : undefined
  const isTrimmed = kind === 'key' || kind === 'address'
  return (
    <Field {...rest} error={fieldState.error?.message}>
      {(wiring) => (
        <TextInput
          {...wiring}
          code={kind !== 'words' && type === undefined}
          type={type ?? 'text'}
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
