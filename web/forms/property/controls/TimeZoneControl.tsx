import { TIME_ZONES } from '#contract/json-schema/time-zone.ts'
import { Combobox } from '../../../ui/Combobox.tsx'
import { dataValue, setData } from '../property-edit.ts'
import type { ControlProps } from './control-props.ts'

const MAX_FOUND = 50

/** A time zone, found by any part of its name. */
export function TimeZoneControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const data = dataValue(value)
  const zone = typeof data === 'string' && data !== '' ? data : null
  return (
    <Combobox
      wiring={wiring}
      value={zone === null ? null : { value: zone, label: zone }}
      onChange={(option) => onEdit(option === null ? { kind: 'removed' } : setData(definition, option.value))}
      search={findZones}
      readOnly={readOnly}
    />
  )
}

function findZones(text: string) {
  const words = text
    .toLowerCase()
    .replaceAll('_', ' ')
    .split(/[\s/]+/)
  // first what most schedules use
  const zones = ['UTC', ...TIME_ZONES.filter((zone) => zone !== 'UTC')]
  const found = zones.filter((zone) => {
    const name = zone.toLowerCase().replaceAll('_', ' ')
    return words.every((word) => name.includes(word))
  })
  return Promise.resolve(found.slice(0, MAX_FOUND).map((zone) => ({ value: zone, label: zone })))
}
