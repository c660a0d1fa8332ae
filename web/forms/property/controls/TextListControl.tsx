import { useText } from '../../../i18n/use-text.ts'
import { TextInput } from '../../../ui/TextInput.tsx'
import { choicesOf, schemaOf } from '../control-kind.ts'
import type { ControlProps } from './control-props.ts'
import { dataValue, setData } from '../edit.ts'
import { Select } from '../../../ui/Select.tsx'
import { ListEditor } from './ListEditor.tsx'

/** An ordered list of texts. */
export function TextListControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const t = useText()
  const data = dataValue(value)
  const items = Array.isArray(data)
    ? data.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
    : []
  const itemSchema = schemaOf(definition)['items']
  const choices =
    typeof itemSchema === 'object' && itemSchema !== null && !Array.isArray(itemSchema)
      ? choicesOf(itemSchema)
      : null
  return (
    <ListEditor
      items={items}
      empty={choices?.[0]?.value ?? ''}
      readOnly={readOnly}
      wiring={wiring}
      onChange={(next) => onEdit(setData(definition, next))}
      renderItem={(item, change, index) =>
        choices === null ? (
          <TextInput
            aria-label={t('forms.list.item', { n: index + 1 })}
            value={item}
            readOnly={readOnly}
            onChange={(event) => change(event.target.value)}
          />
        ) : (
          <Select
            className="flex-1"
            aria-label={t('forms.list.item', { n: index + 1 })}
            value={item}
            disabled={readOnly}
            options={choices.map((choice) => ({ value: choice.value, label: choice.title }))}
            onChange={(event) => change(event.target.value)}
          />
        )
      }
    />
  )
}
