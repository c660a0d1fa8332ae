import { useState } from 'react'
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

/**
 * A domain name, without surrounding spaces and in lower case. The text stays as typed while the person is in the field;
 * leaving the field rewrites it.
 */
export function DomainControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const [typed, setTyped] = useState('')
  const domain = textOf(value)
  return (
    <TextInput
      {...wiring}
      code
      inputMode="url"
      autoCapitalize="none"
      value={domainIn(typed) === domain ? typed : domain}
      readOnly={readOnly}
      onChange={({ target: { value: text } }) => {
        setTyped(text)
        onEdit(setData(definition, domainIn(text)))
      }}
      onBlur={() => setTyped('')}
    />
  )
}

const domainIn = (text: string): string => text.trim().toLowerCase()

function textOf(value: ControlProps['value']): string {
  const text = dataValue(value)
  return typeof text === 'string' ? text : ''
}
