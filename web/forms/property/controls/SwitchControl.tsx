import { useText } from '../../../i18n/use-text.ts'
import { Switch } from '../../../ui/Checkbox.tsx'
import type { ControlProps } from './control-props.ts'
import { dataValue, setData } from '../property-edit.ts'

/** A boolean property as a switch. Without a value it is off and says that nothing is set. */
export function SwitchControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const t = useText()
  const on = dataValue(value)
  return (
    <Switch
      {...wiring}
      checked={on === true}
      disabled={readOnly}
      onChange={(event) => onEdit(setData(definition, event.target.checked))}
    >
      <span className="text-muted">
        {typeof on === 'boolean' ? t(on ? 'common.on' : 'common.off') : t('forms.notSet')}
      </span>
    </Switch>
  )
}
