import { useState } from 'react'
import { type JsonObject, deepEqual } from '#contract/json-schema/json.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { cx } from '../../../ui/class-names.ts'
import { Select } from '../../../ui/Select.tsx'
import { schemaOf } from '../control-kind.ts'
import { dataValue, editWith, setData, type Edit } from '../property-edit.ts'
import { fitsControl, problemPointers, firstValue, shownVariant, takesNumber } from '../inner-value.ts'
import { variantsOf, variantTitle } from '../schema-parts.ts'
import { AsJson } from './AsJson.tsx'
import { groupProps, type ControlProps } from './control-props.ts'
import { useEmptyText } from './empty-text.ts'
import { useJsonMode } from './use-json-mode.ts'

/** One of several forms of a value: the choice of the form, and its control. */
export function VariantsControl(props: ControlProps) {
  const { definition, value, unfinished, wiring, readOnly, Inner, problems } = props
  const t = useText()
  const notSet = useEmptyText()
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
        {...(at === -1 && { placeholder: notSet })}
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

/** What the person did last in this control. */
interface OwnEdit {
  at: number
  edit: Edit
  /** What was last in each variant that the person left. */
  left: ReadonlyMap<number, Edit>
}

const NOTHING_LEFT: OwnEdit['left'] = new Map()

/**
 * The variant that is shown, as an index; -1 for none. It stays while the person edits it, even if the value comes to
 * satisfy another one. Each variant keeps what was last in it, also input that is not a value yet, until the value is
 * replaced from outside: by a reset, or by the item of a list that takes the place of this one.
 */
function useVariant(props: ControlProps, variants: readonly JsonObject[]) {
  const { definition, saved = null, onEdit } = props
  const [own, setOwn] = useState<OwnEdit | null>(null)
  const isOwn = own !== null && isInVariant(own, props, variants)
  const at = isOwn ? own.at : variantShown(props, variants)
  const left = isOwn ? own.left : NOTHING_LEFT
  const edit = (next: OwnEdit) => {
    setOwn(next)
    onEdit(next.edit)
  }
  const firstEdit = (next: number): Edit =>
    saved !== null && shownVariant(variants, dataValue(saved)) === next
      ? { kind: 'set', value: saved }
      : setData(definition, firstValue(variants[next] ?? {}))
  return {
    at,
    /** Whether the person has edited it here. */
    isOwn,
    editVariant: (next: Edit) => edit({ at, edit: next, left }),
    switchTo: (next: number) => {
      const current = isOwn ? own.edit : editOf(props)
      const nowLeft = current === null ? left : new Map(left).set(at, current)
      edit({ at: next, edit: nowLeft.get(next) ?? firstEdit(next), left: nowLeft })
    },
  }
}

function variantShown({ value, unfinished, isPartialNumber }: ControlProps, variants: readonly JsonObject[]) {
  if (unfinished === null) return shownVariant(variants, dataValue(value))
  return isPartialNumber ? variants.findIndex(takesNumber) : -1
}

/** Whether a control still has what an edit of a variant made of its value. */
function isInVariant({ at, edit }: OwnEdit, props: ControlProps, variants: readonly JsonObject[]) {
  if (variants[at] === undefined) return false
  const now = editOf(props)
  // a list keeps an empty text in the place of an item without a value
  if (edit.kind === 'removed') return now === null || dataValue(props.value) === ''
  return now !== null && deepEqual(now, edit)
}

/** What would lead to the same again; null for no value. */
function editOf({ definition, value, unfinished, parts }: ControlProps): Edit | null {
  // of what is unfinished, variants show only numbers
  if (unfinished !== null) return { kind: 'unfinished', text: unfinished, isPartialNumber: true }
  const data = dataValue(value)
  return data === undefined ? null : editWith(definition, data, parts)
}
