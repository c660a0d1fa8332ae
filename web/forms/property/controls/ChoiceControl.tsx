import { useText } from '../../../i18n/use-text.ts'
import { Select } from '../../../ui/Select.tsx'
import type { ControlProps } from './control-props.ts'
import { choicesOf, schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'

export function ChoiceControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const t = useText()
  const chosen = dataValue(value)
  const choices = choicesOf(schemaOf(definition)) ?? []
  const known =
    typeof chosen === 'string' && !choices.some((choice) => choice.value === chosen) ? [chosen] : []
  return (
    <Select
      {...wiring}
      value={typeof chosen === 'string' ? chosen : ''}
      disabled={readOnly}
      // a value that the definition no longer offers stays visible until another one is chosen
      options={[
        ...known.map((text) => ({ value: text, label: text, disabled: true })),
        ...choices.map((choice) => ({ value: choice.value, label: choice.title })),
      ]}
      {...((chosen === undefined || definition.required !== true) && { placeholder: t('forms.choice.none') })}
      onChange={(event) =>
        onEdit(event.target.value === '' ? { kind: 'removed' } : setData(definition, event.target.value))
      }
    />
  )
}
