import { useText } from '../../../i18n/use-text.ts'
import { Select } from '../../../ui/Select.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue } from '../edit.ts'
import { controlValue, fitsControls, problemPointers } from '../inner-value.ts'
import { variantsOf, variantTitle } from '../shape.ts'
import { AsJson } from './AsJson.tsx'
import { groupProps, type ControlProps } from './control-props.ts'
import { useJsonMode } from './use-json-mode.ts'
import { useVariant } from './use-variant.ts'

/** One of several forms of a value: the choice of the form, and its control. */
export function VariantsControl(props: ControlProps) {
  const { definition, value, unfinished, wiring, readOnly, Inner, problems } = props
  const t = useText()
  const schema = schemaOf(definition)
  const variants = variantsOf(schema) ?? []
  const data = dataValue(value)
  const { at, isOwn, editVariant, switchTo } = useVariant(props, variants)
  const variant = variants[at]
  // a partial number is in the field of its variant; any other text is JSON
  const fits = unfinished === null ? fitsControls(schema, data) : variant !== undefined
  const { isJson, toForm } = useJsonMode(props, isOwn || fits)
  if (isJson) return <AsJson {...props} onForm={toForm} />
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
          label: variantTitle(one) ?? t('forms.variant', { n: index + 1 }),
        }))}
        onChange={({ target }) => {
          if (target.value !== '') switchTo(Number(target.value))
        }}
      />
      {variant !== undefined && variant['const'] === undefined && (
        <Inner
          // controls of the same kind in two variants have nothing in common
          key={at}
          {...props}
          definition={{ ...definition, schema: variant }}
          // inside another value, a partial number is its text
          {...(unfinished === null && controlValue(variant, data))}
          wiring={{ ...wiring, id: `${wiring.id}-value` }}
          problems={problems ?? problemPointers(variant, data)}
          onEdit={editVariant}
        />
      )}
    </div>
  )
}
