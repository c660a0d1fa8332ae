import { isJsonObject } from '#contract/json-schema/json.ts'
import { useText } from '../../../i18n/use-text.ts'
import { schemaOf } from '../control-kind.ts'
import { dataValue, editWith } from '../edit.ts'
import { entriesIn, mapOf } from '../held.ts'
import { fitsControl, problemPointers } from '../inner-value.ts'
import { ANY, entriesOf } from '../shape.ts'
import { AsJson } from './AsJson.tsx'
import { groupProps, type ControlProps } from './control-props.ts'
import { MapRows } from './MapRows.tsx'
import { TextButton } from './TextButton.tsx'
import { useJsonMode } from './use-json-mode.ts'

/** An object with keys of its own: labels, settings of an environment. */
export function MapControl(props: ControlProps) {
  const { definition, value, unfinished, parts, onEdit, wiring, readOnly, problems } = props
  const t = useText()
  const schema = schemaOf(definition)
  const data = dataValue(value)
  const { isJson, toJson, toForm } = useJsonMode(unfinished === null && fitsControl(schema, data))
  if (isJson) return <AsJson {...props} onForm={toForm} />
  const entries = entriesIn(isJsonObject(data) ? data : {}, parts)
  return (
    <div {...groupProps(wiring)} className="flex flex-col gap-1.5 rounded-md">
      {entries.length === 0 && (
        <p className="flex min-h-8 items-center text-faint italic">
          {t(data === undefined ? 'forms.notSet' : 'forms.map.empty')}
        </p>
      )}
      <MapRows
        {...props}
        entries={entries}
        values={entriesOf(schema) ?? ANY}
        reserved={[]}
        canAdd
        onChange={(next) => {
          const whole = mapOf(next)
          onEdit(editWith(definition, whole.value, whole.parts))
        }}
        problems={problems ?? problemPointers(schema, data)}
      />
      {problems === undefined && !readOnly && (
        <TextButton onClick={toJson} className="self-start">
          {t('forms.json.edit')}
        </TextButton>
      )}
    </div>
  )
}
