import type { JsonObject } from '#contract/json-schema/json.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { cx } from '../../../ui/class-names.ts'
import { Select } from '../../../ui/Select.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue } from '../property-edit.ts'
import { fitsControl, problemPointers } from '../inner-value.ts'
import { variantsOf, variantTitle } from '../schema-parts.ts'
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
  const fits = unfinished === null ? fitsControl(schema, data) : variant !== undefined
  const { isJson, toForm } = useJsonMode(isOwn || fits)
  if (isJson) return <AsJson {...props} onForm={toForm} />
  const isTypes = Array.isArray(schema['type'])
  return (
    <div
      {...groupProps({ ...wiring, id: `${wiring.id}-variants` })}
      className={cx(
        'rounded-md',
        // a type beside its value
        isTypes ? 'flex flex-wrap items-start gap-2' : 'space-y-2',
      )}
    >
      <Select
        id={wiring.id}
        className={isTypes ? 'w-32 shrink-0' : undefined}
        aria-labelledby={wiring['aria-labelledby']}
        aria-label={wiring['aria-label']}
        aria-describedby={wiring['aria-describedby']}
        aria-invalid={wiring['aria-invalid']}
        value={at === -1 ? '' : String(at)}
        disabled={readOnly}
        {...(at === -1 && { placeholder: t('forms.notSet') })}
        options={variants.map((_, index) => ({ value: String(index), label: labelOf(variants, index, t) }))}
        onChange={({ target }) => {
          if (target.value !== '') switchTo(Number(target.value))
        }}
      />
      {variant !== undefined && variant['const'] === undefined && (
        <div className={isTypes ? 'min-w-40 flex-1' : undefined}>
          <Inner
            // controls of the same kind in two variants have nothing in common
            key={at}
            {...props}
            definition={{ ...definition, schema: variant }}
            wiring={{ ...wiring, id: `${wiring.id}-value` }}
            problems={problems ?? problemPointers(variant, data)}
            onEdit={editVariant}
          />
        </div>
      )}
    </div>
  )
}

/** The name of a variant: its title, its type if no other one has that, or its number. */
function labelOf(variants: readonly JsonObject[], index: number, t: Translate): string {
  const variant = variants[index] ?? {}
  const { type, const: only } = variant
  const title = variantTitle(variant)
  if (title !== undefined) return title
  if (only === null) return t('forms.nullable.none')
  if (typeof only === 'boolean') return String(only)
  const isAlone = variants.every((other, at) => at === index || other['type'] !== type)
  return typeof type === 'string' && isType(type) && isAlone
    ? t(TYPES[type])
    : t('forms.variant', { n: index + 1 })
}

const TYPES = {
  string: 'forms.type.text',
  number: 'forms.type.number',
  integer: 'forms.type.integer',
  boolean: 'forms.type.boolean',
  array: 'forms.type.list',
  object: 'forms.type.object',
} as const

const isType = (name: string): name is keyof typeof TYPES => Object.hasOwn(TYPES, name)
