import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { useText } from '../../../i18n/use-text.ts'
import { schemaOf } from '../control-kind.ts'
import { dataValue, editWith } from '../edit.ts'
import { afterEdit, held, itemsIn, listOf, shownHeld } from '../held.ts'
import { firstValue, fitsControl, pointersInside, problemPointers } from '../inner-value.ts'
import { ANY, itemsOf, variantOf, variantsOf } from '../shape.ts'
import { AsJson } from './AsJson.tsx'
import type { ControlProps } from './control-props.ts'
import { ListEditor } from './ListEditor.tsx'
import { useJsonMode } from './use-json-mode.ts'

/** An ordered list of values. */
export function ListControl(props: ControlProps) {
  const { definition, value, unfinished, parts, onEdit, wiring, readOnly, scope, Inner, problems } = props
  const t = useText()
  const schema = schemaOf(definition)
  const items = itemsOf(schema) ?? ANY
  const data = dataValue(value)
  const { isJson, toForm } = useJsonMode(unfinished === null && fitsControl(schema, data))
  if (isJson) return <AsJson {...props} onForm={toForm} />
  const found = problems ?? problemPointers(schema, data)
  const list = Array.isArray(data) ? data : []
  return (
    <ListEditor
      items={itemsIn(list, parts)}
      isSet={data !== undefined}
      empty={held(newItem(items, list.at(-1)))}
      readOnly={readOnly}
      wiring={wiring}
      onChange={(next) => {
        const whole = listOf(next)
        onEdit(editWith(definition, whole.value, whole.parts))
      }}
      renderItem={(item, change, index) => {
        const inside = pointersInside(found, index)
        return (
          <div className="min-w-0 flex-1">
            <Inner
              definition={{ kind: 'DATA', schema: items, required: true }}
              {...shownHeld(item)}
              isSet
              problems={inside}
              onEdit={(edit) => change(afterEdit(item, edit))}
              onReset={() => undefined}
              wiring={{
                id: `${wiring.id}.${index}`,
                'aria-label': t('forms.list.item', { n: index + 1 }),
                'aria-describedby': inside.length > 0 ? `${wiring.id}-error` : undefined,
                'aria-invalid': inside.length > 0 || item.parts[''] !== undefined ? true : undefined,
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

/** Where a list takes values of several forms, the next item most likely has that of the last one. */
function newItem(items: JsonObject, last: JsonValue | undefined): JsonValue {
  const variants = variantsOf(items) ?? []
  return firstValue(variants[variantOf(variants, last)] ?? items)
}
