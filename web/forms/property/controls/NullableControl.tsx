import { useRef } from 'react'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'
import { firstValue, fitsControls } from '../inner-value.ts'
import { withoutNull } from '../shape.ts'
import { AsJson } from './AsJson.tsx'
import { groupProps, type ControlProps } from './control-props.ts'

/** A value that may be `null`: the control of the value, and a box for none. */
export function NullableControl(props: ControlProps) {
  const { definition, value, unfinished, onEdit, wiring, readOnly, Inner, problems } = props
  const t = useText()
  const last = useRef<JsonValue>(null)
  const schema = withoutNull(schemaOf(definition)) ?? {}
  const data = dataValue(value)
  if (problems === undefined && data !== null && data !== undefined && !fitsControls(schema, data))
    return <AsJson {...props} isOpen={false} onForm={undefined} />
  const isNull = data === null
  return (
    <div {...groupProps({ ...wiring, id: `${wiring.id}-nullable` })} className="space-y-1.5 rounded-md">
      {!isNull && <Inner {...props} definition={{ ...definition, schema }} unfinished={unfinished} />}
      <Checkbox
        id={isNull ? wiring.id : undefined}
        checked={isNull}
        disabled={readOnly}
        onChange={({ target: { checked } }) => {
          if (checked) last.current = data ?? null
          onEdit(setData(definition, checked ? null : (last.current ?? firstValue(schema))))
        }}
      >
        {t('forms.nullable.none')}
      </Checkbox>
    </div>
  )
}
