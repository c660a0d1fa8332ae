import { isJsonObject } from '#contract/json-schema/json.ts'
import { useText } from '../../../i18n/use-text.ts'
import { schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'
import { controlValue, editedValue, fitsControls, pointersInside, problemPointers } from '../inner-value.ts'
import { constantsOf, membersOf } from '../shape.ts'
import { AsJson, FormOrJson } from './AsJson.tsx'
import { groupProps, type ControlProps } from './control-props.ts'
import { useJsonMode } from './use-json-mode.ts'

/** An object as a form of its members. */
export function ObjectControl(props: ControlProps) {
  const { definition, value, unfinished, onEdit, wiring, readOnly, scope, Inner, problems } = props
  const t = useText()
  const schema = schemaOf(definition)
  const data = dataValue(value)
  const isInner = problems !== undefined
  const { isJson, toJson, toForm } = useJsonMode(props, unfinished === null && fitsControls(schema, data))
  if (isJson) return <AsJson {...props} onForm={toForm} />

  const members = membersOf(schema) ?? []
  const object = isJsonObject(data) ? data : {}
  const found = problems ?? problemPointers(schema, data)
  const shown = members.filter(({ schema: member }) => member['const'] === undefined)
  return (
    <div {...groupProps(wiring)} className="@container rounded-md">
      <div className="space-y-3 rounded-md border border-line px-3 py-2.5">
        {shown.map(({ name, title, help, schema: member, isRequired }) => {
          const id = `${wiring.id}.${name}`
          const inside = pointersInside(found, name)
          return (
            // titles are above their fields where a form within a form leaves little room
            <div key={name} className="grid min-w-0 gap-x-4 gap-y-1 @md:grid-cols-[10rem_minmax(0,1fr)]">
              <div className="min-w-0 pt-1">
                <label id={`${id}-label`} htmlFor={id} className="wrap-anywhere">
                  {title}
                </label>
                {isRequired && <span className="ml-1.5 text-xs text-faint">{t('common.required')}</span>}
                {help !== '' && (
                  <p id={`${id}-help`} className="text-xs text-muted wrap-anywhere">
                    {help}
                  </p>
                )}
              </div>
              <Inner
                definition={{ kind: 'DATA', schema: member, required: isRequired }}
                {...controlValue(member, object[name])}
                isSet={object[name] !== undefined}
                problems={inside}
                onEdit={(edit) => {
                  const { [name]: _, ...others } = object
                  const next = editedValue(edit)
                  const whole = next === undefined ? others : { ...object, [name]: next }
                  onEdit(setData(definition, { ...constantsOf(members), ...whole }))
                }}
                onReset={() => undefined}
                wiring={{
                  id,
                  'aria-labelledby': `${id}-label`,
                  'aria-describedby': [help !== '' && `${id}-help`, inside.length > 0 && `${wiring.id}-error`]
                    .filter(Boolean)
                    .join(' '),
                  'aria-invalid': inside.length > 0 ? true : undefined,
                  'aria-required': isRequired ? true : undefined,
                }}
                readOnly={readOnly}
                scope={scope}
              />
            </div>
          )
        })}
      </div>
      {!isInner && !readOnly && <FormOrJson to="json" onClick={toJson} className="mt-1" />}
    </div>
  )
}
