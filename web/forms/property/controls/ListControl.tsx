import { useText } from '../../../i18n/use-text.ts'
import { itemsOf, schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'
import {
  controlValue,
  editedValue,
  firstValue,
  fitsControls,
  pointersInside,
  problemPointers,
} from '../inner-value.ts'
import { AsJson } from './AsJson.tsx'
import type { ControlProps } from './control-props.ts'
import { ListEditor } from './ListEditor.tsx'
import { useJsonMode } from './use-json-mode.ts'

/** An ordered list of values of one kind. */
export function ListControl(props: ControlProps) {
  const { definition, value, unfinished, onEdit, wiring, readOnly, scope, Inner, problems } = props
  const t = useText()
  const schema = schemaOf(definition)
  const items = itemsOf(schema) ?? {}
  const data = dataValue(value)
  const { isJson, toForm } = useJsonMode(props, unfinished === null && fitsControls(schema, data))
  if (isJson) return <AsJson {...props} onForm={toForm} />
  const found = problems ?? problemPointers(schema, data)
  return (
    <ListEditor
      items={Array.isArray(data) ? data : []}
      empty={firstValue(items)}
      readOnly={readOnly}
      wiring={wiring}
      onChange={(next) => onEdit(setData(definition, next))}
      renderItem={(item, change, index) => {
        const inside = pointersInside(found, index)
        return (
          <div className="min-w-0 flex-1">
            <Inner
              definition={{ kind: 'DATA', schema: items }}
              {...controlValue(items, item)}
              isSet
              problems={inside}
              onEdit={(edit) => {
                const next = editedValue(edit)
                // an item without a value keeps its place; null is a value
                change(next === undefined ? '' : next)
              }}
              onReset={() => undefined}
              wiring={{
                id: `${wiring.id}.${index}`,
                'aria-label': t('forms.list.item', { n: index + 1 }),
                'aria-describedby': inside.length > 0 ? `${wiring.id}-error` : undefined,
                'aria-invalid': inside.length > 0 ? true : undefined,
                'aria-required': undefined,
              }}
              readOnly={readOnly}
              scope={scope}
            />
          </div>
        )
      }}
    />
  )
}
