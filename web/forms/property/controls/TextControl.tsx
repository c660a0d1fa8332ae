import { useState } from 'react'
import { FreeTextInput } from '../../../ui/FreeTextInput.tsx'
import type { ControlProps } from './control-props.ts'
import { dataValue, setData } from '../property-edit.ts'

/** A text. Clearing it gives an empty text, from which the field around it may make no value. */
export function TextControl({
  definition,
  value,
  onEdit,
  wiring,
  readOnly,
  isLong = false,
}: Omit<ControlProps, 'Inner'> & { isLong?: boolean }) {
  return (
    <FreeTextInput
      {...wiring}
      isLong={isLong}
      value={textOf(value)}
      readOnly={readOnly}
      onText={(text) => onEdit(setData(definition, text))}
    />
  )
}

export function LongTextControl(props: ControlProps) {
  return <TextControl {...props} isLong />
}

/**
 * A domain name, without surrounding spaces and in lower case. The text stays as typed while the person is in the field;
 * leaving the field rewrites it.
 */
export function DomainControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const [typed, setTyped] = useState('')
  const domain = textOf(value)
  return (
    <FreeTextInput
      {...wiring}
      code
      inputMode="url"
      autoCapitalize="none"
      value={domainIn(typed) === domain ? typed : domain}
      readOnly={readOnly}
      onText={(text) => {
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
