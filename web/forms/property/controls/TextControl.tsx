import { TextArea, TextInput } from '../../../ui/TextInput.tsx'
import type { ControlProps } from './control-props.ts'
import { dataValue, setData } from '../edit.ts'

/** A line of text. An emptied line is an empty text; taking the value away is a thing of its own. */
export function TextControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  return (
    <TextInput
      {...wiring}
      value={textOf(value)}
      readOnly={readOnly}
      onChange={(event) => onEdit(setData(definition, event.target.value))}
    />
  )
}

export function LongTextControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  return (
    <TextArea
      {...wiring}
      value={textOf(value)}
      readOnly={readOnly}
      onChange={(event) => onEdit(setData(definition, event.target.value))}
    />
  )
}

/** A domain name; what was pasted with blanks around it or in capitals is put right when the field is left. */
export function DomainControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const text = textOf(value)
  return (
    <TextInput
      {...wiring}
      code
      inputMode="url"
      autoCapitalize="none"
      value={text}
      readOnly={readOnly}
      onChange={(event) => onEdit(setData(definition, event.target.value))}
      onBlur={() => {
        const tidy = text.trim().toLowerCase()
        if (!readOnly && tidy !== text) onEdit(setData(definition, tidy))
      }}
    />
  )
}

function textOf(value: ControlProps['value']): string {
  const text = dataValue(value)
  return typeof text === 'string' ? text : ''
}
