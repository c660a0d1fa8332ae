import { useText } from '../../../i18n/use-text.ts'
import { Select } from '../../../ui/Select.tsx'
import type { ControlProps } from './control-props.ts'
import { choicesOf, schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../property-edit.ts'

/** One of several texts. "Not set" is no text: the empty one may be among the choices, and has a name. */
export function ChoiceControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const t = useText()
  const chosen = dataValue(value)
  const choices = choicesOf(schemaOf(definition)) ?? []
  const known =
    typeof chosen === 'string' && !choices.some((choice) => choice.value === chosen) ? [chosen] : []
  const nameOf = (text: string) => (text === '' ? t('common.value.emptyText') : text)
  return (
    <Select
      {...wiring}
      value={typeof chosen === 'string' ? optionOf(chosen) : NOT_SET}
      disabled={readOnly}
      // a value that the definition no longer offers stays visible until another one is chosen
      options={[
        ...known.map((text) => ({ value: optionOf(text), label: nameOf(text), disabled: true })),
        ...choices.map((choice) => ({ value: optionOf(choice.value), label: nameOf(choice.title) })),
      ]}
      placeholder={chosen === undefined || definition.required !== true ? t('forms.notSet') : undefined}
      onChange={({ target }) =>
        onEdit(target.value === NOT_SET ? { kind: 'removed' } : setData(definition, textOf(target.value)))
      }
    />
  )
}

/** The value of the option for no text; that of a text begins with a sign, so that none is the same. */
const NOT_SET = ''
const optionOf = (text: string): string => `=${text}`
const textOf = (option: string): string => option.slice(1)
