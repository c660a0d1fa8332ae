import { NumberInput } from '../../../ui/TextInput.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'
import { parseNumber } from '../parse-number.ts'
import type { ControlProps } from './control-props.ts'

/** A number. What is not a number in its own notation yet stays as typed; leaving the field rewrites it. */
export function NumberControl({ definition, value, unfinished, onEdit, wiring, readOnly }: ControlProps) {
  const unit = schemaOf(definition)['x-unit']
  const number = dataValue(value)
  return (
    <NumberInput
      {...wiring}
      unit={typeof unit === 'string' ? unit : undefined}
      value={unfinished ?? (typeof number === 'number' ? String(number) : '')}
      readOnly={readOnly}
      onChange={({ target: { value: text } }) => {
        const parsed = parseNumber(text)
        if (text.trim() === '') onEdit({ kind: 'removed' })
        else if (parsed !== null && String(parsed) === text.trim()) onEdit(setData(definition, parsed))
        else onEdit({ kind: 'unfinished', text })
      }}
      onBlur={() => {
        const parsed = unfinished === null ? null : parseNumber(unfinished)
        if (parsed !== null) onEdit(setData(definition, parsed))
      }}
    />
  )
}
