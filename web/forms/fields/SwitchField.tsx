import { useId } from 'react'
import { useController, type Control, type FieldPathByValue, type FieldValues } from 'react-hook-form'
import { Switch } from '../../ui/Checkbox.tsx'
import { FieldErrorText } from '../../ui/Field.tsx'
import { useFormBusy } from '../form/Form.tsx'

/** A switch. A line below it says what "off" means while it is off, unless the label says that already. */
export function SwitchField<Values extends FieldValues>({
  control,
  name,
  label,
  offMeaning,
}: {
  control: Control<Values>
  name: FieldPathByValue<Values, boolean>
  label: string
  offMeaning?: string
}) {
  const { field, fieldState } = useController({ control, name })
  const id = useId()
  const error = fieldState.error?.message
  const busy = useFormBusy()
  return (
    <div data-invalid={error ? id : undefined}>
      <Switch
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        checked={field.value}
        disabled={busy}
        onBlur={field.onBlur}
        onChange={({ target }) => field.onChange(target.checked)}
      >
        <span className="font-medium">{label}</span>
        {!field.value && offMeaning !== undefined && (
          <span className="block text-xs text-muted">{offMeaning}</span>
        )}
      </Switch>
      {error && <FieldErrorText id={`${id}-error`}>{error}</FieldErrorText>}
    </div>
  )
}
