import { useController, type Control, type FieldPathByValue, type FieldValues } from 'react-hook-form'
import { Switch } from '../../ui/Checkbox.tsx'
import { useFormBusy } from '../form/Form.tsx'

/** A switch. A line below it says what "off" means while it is off. */
export function SwitchField<Values extends FieldValues>({
  control,
  name,
  label,
  offMeaning,
}: {
  control: Control<Values>
  name: FieldPathByValue<Values, boolean>
  label: string
  offMeaning: string
}) {
  const { field } = useController({ control, name })
  const busy = useFormBusy()
  return (
    <Switch
      checked={field.value}
      disabled={busy}
      onBlur={field.onBlur}
      onChange={({ target }) => field.onChange(target.checked)}
    >
      <span className="font-medium">{label}</span>
      {!field.value && <span className="block text-xs text-muted">{offMeaning}</span>}
    </Switch>
  )
}
