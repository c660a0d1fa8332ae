import { TextArea, TextInput } from '../../../ui/TextInput.tsx'
import type { ControlProps } from './control-props.ts'
import { dataValue, setData } from '../edit.ts'

/** A single-line text. Clearing it means an empty text; removing the value is a separate action. */
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

/** A domain name. Surrounding spaces and capitals are normalized on blur. */
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
