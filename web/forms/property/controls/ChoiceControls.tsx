import { TIME_ZONES } from '#contract/json-schema/time-zone.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Select } from '../../../ui/Select.tsx'
import type { ControlProps } from './control-props.ts'
import { useEmptyText } from './empty-text.ts'
import { choicesOf, schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../property-edit.ts'
import { Switch } from '../../../ui/Checkbox.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'

/** One of several texts. "Not set" is not a text: the empty one may be among the choices, and has a name. */
export function ChoiceControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const t = useText()
  const notSet = useEmptyText()
  const chosen = dataValue(value)
  const choices = choicesOf(schemaOf(definition)) ?? []
  const known =
    typeof chosen === 'string' && !choices.some((choice) => choice.value === chosen) ? [chosen] : []
  const nameOf = (text: string) => (text === '' ? t('common.value.emptyText') : text)
  return (
    <Select
      {...wiring}
      value={typeof chosen === 'string' ? optionOf(chosen) : NOT_SET}
      disabled={readOnly}
      // a value that the definition no longer offers stays visible until another one is chosen
      options={[
        ...known.map((text) => ({ value: optionOf(text), label: nameOf(text), disabled: true })),
        ...choices.map((choice) => ({ value: optionOf(choice.value), label: nameOf(choice.title) })),
      ]}
      placeholder={chosen === undefined || definition.required !== true ? notSet : undefined}
      onChange={({ target }) =>
        onEdit(target.value === NOT_SET ? { kind: 'removed' } : setData(definition, textOf(target.value)))
      }
    />
  )
}

/** The value of the option for no text; that of a text begins with a sign, so that none is the same. */
const NOT_SET = ''
const optionOf = (text: string): string => `=${text}`
const textOf = (option: string): string => option.slice(1)

/** A boolean property as a switch. Without a value it is off and says that nothing is set. */
export function SwitchControl({ definition, value, onEdit, wiring, readOnly }: ControlProps) {
  const t = useText()
  const notSet = useEmptyText()
  const on = dataValue(value)
  return (
    <Switch
      {...wiring}
      checked={on === true}
      disabled={readOnly}
      onChange={(event) => onEdit(setData(definition, event.target.checked))}
    >
      <span className="text-muted">
        {typeof on === 'boolean' ? t(on ? 'common.on' : 'common.off') : notSet}
      </span>
    </Switch>
  )
}

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
