import { useRef } from 'react'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { innerKind, schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../property-edit.ts'
import { firstValue, fitsControl, problemPointers, takesNumber } from '../inner-value.ts'
import { withoutNull } from '../schema-parts.ts'
import { AsJson } from './AsJson.tsx'
import { groupProps, nameOf, type ControlProps } from './control-props.ts'
import { TextButton } from './TextButton.tsx'
import { useJsonMode } from './use-json-mode.ts'

/** A value that may be `null`: the control of the value, and a box for none. */
export function NullableControl(props: ControlProps) {
  const { definition, value, unfinished, isPartialNumber, onEdit, wiring, readOnly, Inner, problems } = props
  const t = useText()
  const last = useRef<JsonValue>(null)
  const schema = withoutNull(schemaOf(definition)) ?? {}
  const data = dataValue(value)
  // a partial number is in its field; any other text is JSON
  const isComplete = unfinished === null || isPartialNumber || takesNumber(schema)
  const { isJson, toJson, toForm } = useJsonMode(isComplete && (data === null || fitsControl(schema, data)))
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
        {problems === undefined && !isNull && !readOnly && ['object', 'map'].includes(innerKind(schema)) && (
          <TextButton of={nameOf(wiring)} onClick={toJson}>
            {t('forms.json.edit')}
          </TextButton>
        )}
      </div>
    </div>
  )
}
