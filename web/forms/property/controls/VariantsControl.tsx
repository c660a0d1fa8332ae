import { useState } from 'react'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Select } from '../../../ui/Select.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue, setData } from '../edit.ts'
import {
  firstValue,
  fitsControls,
  fitsVariant,
  problemPointers,
  shownVariant,
  takesNumber,
} from '../inner-value.ts'
import { constantsOf, membersOf, variantsOf } from '../shape.ts'
import { AsJson } from './AsJson.tsx'
import { groupProps, type ControlProps } from './control-props.ts'
import { useJsonMode } from './use-json-mode.ts'

/** One of several forms of a value: the choice of the form, and its control. */
export function VariantsControl(props: ControlProps) {
  const { definition, value, unfinished, onEdit, wiring, readOnly, Inner, problems } = props
  const t = useText()
  const [chosen, setChosen] = useState(-1)
  const schema = schemaOf(definition)
  const variants = variantsOf(schema) ?? []
  const data = dataValue(value)
  const picked = variants[chosen]
  // a partial number is in the field of its variant; any other text is JSON
  const isPartial = unfinished !== null && picked !== undefined && takesNumber(picked)
  const { isJson, toForm } = useJsonMode(
    props,
    isPartial || (unfinished === null && fitsControls(schema, data)),
  )
  if (isJson) return <AsJson {...props} onForm={toForm} />
  const isPicked = isPartial || (picked !== undefined && data !== undefined && fitsVariant(picked, data))
  const at = isPicked ? chosen : shownVariant(variants, data)
  const variant = variants[at]
  return (
    <div {...groupProps({ ...wiring, id: `${wiring.id}-variants` })} className="space-y-2 rounded-md">
      <Select
        id={wiring.id}
        aria-labelledby={wiring['aria-labelledby']}
        aria-describedby={wiring['aria-describedby']}
        aria-invalid={wiring['aria-invalid']}
        value={at === -1 ? '' : String(at)}
        disabled={readOnly}
        {...(at === -1 && { placeholder: t('common.value.notSet') })}
        options={variants.map((one, index) => ({
          value: String(index),
          label: titleOf(one) ?? t('forms.variant', { n: index + 1 }),
        }))}
        onChange={({ target }) => {
          const next = variants[Number(target.value)]
          if (target.value === '' || next === undefined) return
          setChosen(Number(target.value))
          onEdit(setData(definition, firstValue(next)))
        }}
      />
      {variant !== undefined && variant['const'] === undefined && (
        <Inner
          {...props}
          definition={{ ...definition, schema: variant }}
          wiring={{ ...wiring, id: `${wiring.id}-value` }}
          problems={problems ?? problemPointers(variant, data)}
          onEdit={(edit) => {
            if (edit.kind === 'unfinished') setChosen(at)
            onEdit(edit)
          }}
        />
      )}
    </div>
  )
}

/** The title of a variant, or the constant that tells it apart. */
function titleOf(variant: JsonObject): string | undefined {
  const { title, const: only } = variant
  if (typeof title === 'string') return title
  if (typeof only === 'string' || typeof only === 'number') return String(only)
  const constant = Object.values(constantsOf(membersOf(variant) ?? [])).find(
    (only) => typeof only === 'string',
  )
  return typeof constant === 'string' ? constant : undefined
}
