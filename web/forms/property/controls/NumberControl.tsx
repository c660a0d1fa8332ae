import { useState } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { NumberInput } from '../../../ui/TextInput.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../property-edit.ts'
import { readNumber } from '../parse-number.ts'
import type { ControlProps } from './control-props.ts'

/**
 * A number. The text stays as typed while the person is in the field; leaving the field rewrites it. Where the text had
 * two readings, a note says which one was taken, also after that.
 */
export function NumberControl({ definition, value, unfinished, onEdit, wiring, readOnly }: ControlProps) {
  const t = useText()
  const unit = schemaOf(definition)['x-unit']
  const number = dataValue(value)
  const [typed, setTyped] = useState('')
  const [isInside, setIsInside] = useState(false)
  const reading = readNumber(typed)
  // the typed text stays only while it means the value: a reset, for example, replaces it
  const isOwn = reading.kind === 'number' && reading.value === number
  const taken = isOwn ? reading.taken : undefined
  const stored = typeof number === 'number' ? String(number) : ''
  return (
    <>
      <NumberInput
        {...wiring}
        aria-describedby={
          [wiring['aria-describedby'], taken !== undefined && `${wiring.id}-taken`]
            .filter(Boolean)
            .join(' ') || undefined
        }
        unit={typeof unit === 'string' ? unit : undefined}
        value={unfinished ?? (isOwn && isInside ? typed : stored)}
        readOnly={readOnly}
        onChange={({ target: { value: text } }) => {
          const next = readNumber(text)
          setTyped(text)
          setIsInside(true)
          if (text.trim() === '') onEdit({ kind: 'removed' })
          else if (next.kind === 'number') onEdit(setData(definition, next.value))
          else onEdit({ kind: 'unfinished', text, isPartialNumber: true })
        }}
        onBlur={() => setIsInside(false)}
      />
      <p id={`${wiring.id}-taken`} aria-live="polite" className="mt-1 text-xs text-muted empty:hidden">
        {taken !== undefined && t(`forms.number.${taken.as}`, { value: stored, sign: taken.sign })}
      </p>
    </>
  )
}
