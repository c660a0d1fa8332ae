import { NumberInput } from '../../../ui/TextInput.tsx'
import type { ControlProps } from './control-props.ts'
import { schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** A number. A partial number stays as typed until it is valid. */
export function NumberControl({ definition, value, unfinished, onEdit, wiring, readOnly }: ControlProps) {
  const unit = schemaOf(definition)['x-unit']
  const number = dataValue(value)
  return (
    <NumberInput
      {...wiring}
      unit={typeof unit === 'string' ? unit : undefined}
      value={unfinished ?? (typeof number === 'number' ? String(number) : '')}
      readOnly={readOnly}
      onChange={(event) => {
        const text = event.target.value.trim().replace(',', '.')
        const parsed = Number(text)
        // a number with a different canonical form ("1.", "1.50") is still being typed
        const isWhole = NUMBER.test(text) && Number.isFinite(parsed) && String(parsed) === text
        onEdit(
          isWhole
            ? setData(definition, parsed)
            : text === ''
              ? { kind: 'removed' }
              : asTyped(event.target.value),
        )
      }}
      onBlur={() => {
        const parsed = Number(unfinished?.trim().replace(',', '.'))
        if (
          unfinished !== null &&
          NUMBER.test(unfinished.trim().replace(',', '.')) &&
          Number.isFinite(parsed)
        ) {
          onEdit(setData(definition, parsed))
        }
      }}
    />
  )
}

function asTyped(text: string) {
  return { kind: 'unfinished' as const, text }
}
