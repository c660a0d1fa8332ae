import { useState } from 'react'
import { NumberInput } from '../../../ui/TextInput.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'
import { parseNumber } from '../parse-number.ts'
import type { ControlProps } from './control-props.ts'

/** A number. The text stays as typed while the person is in the field; leaving the field rewrites it. */
export function NumberControl({ definition, value, unfinished, onEdit, wiring, readOnly }: ControlProps) {
  const unit = schemaOf(definition)['x-unit']
  const number = dataValue(value)
  const [typed, setTyped] = useState('')
  const stored = typeof number === 'number' ? String(number) : ''
  return (
    <NumberInput
      {...wiring}
      unit={typeof unit === 'string' ? unit : undefined}
      // the typed text stays only while it means the value: a reset, for example, replaces it
      value={unfinished ?? (parseNumber(typed) === number ? typed : stored)}
      readOnly={readOnly}
      onChange={({ target: { value: text } }) => {
        const parsed = parseNumber(text)
        setTyped(text)
        if (text.trim() === '') onEdit({ kind: 'removed' })
        else if (parsed === null) onEdit({ kind: 'unfinished', text, isPartialNumber: true })
        else onEdit(setData(definition, parsed))
      }}
      onBlur={() => setTyped('')}
    />
  )
}
