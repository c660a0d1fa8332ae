import { useRef } from 'react'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { innerKind, schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'
import { firstValue, fitsControls, problemPointers, takesNumber } from '../inner-value.ts'
import { withoutNull } from '../shape.ts'
import { AsJson, FormOrJson } from './AsJson.tsx'
import { groupProps, type ControlProps } from './control-props.ts'
import { useJsonMode } from './use-json-mode.ts'

/** A value that may be `null`: the control of the value, and a box for none. */
export function NullableControl(props: ControlProps) {
  const { definition, value, unfinished, isPartialNumber, onEdit, wiring, readOnly, Inner, problems } = props
  const t = useText()
  const last = useRef<JsonValue>(null)
  const schema = withoutNull(schemaOf(definition)) ?? {}
  const data = dataValue(value)
  // a partial number is in its field; any other text is JSON
  const isComplete = unfinished === null || isPartialNumber === true || takesNumber(schema)
  const { isJson, toJson, toForm } = useJsonMode(
    props,
    isComplete && (data === null || fitsControls(schema, data)),
  )
  if (isJson) return <AsJson {...props} onForm={toForm} />
  const isNull = data === null
  return (
    <div {...groupProps({ ...wiring, id: `${wiring.id}-nullable` })} className="space-y-1.5 rounded-md">
      {!isNull && (
        <Inner
          {...props}
          definition={{ ...definition, schema }}
          problems={problems ?? problemPointers(schema, data)}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-4">
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
        {problems === undefined && !isNull && !readOnly && innerKind(schema) === 'object' && (
          <FormOrJson to="json" onClick={toJson} />
        )}
      </div>
    </div>
  )
}
