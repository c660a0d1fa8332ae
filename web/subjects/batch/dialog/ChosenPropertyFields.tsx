import type { Control } from 'react-hook-form'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import { joinList } from '../../../i18n/punctuation.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { OperationFields } from '../../operation-form/OperationFields.tsx'
import type { OperationValues } from '../../operation-form/use-operation-form.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { focusHome } from '../../../ui/keep-focus.ts'
import { SegmentedControl } from '../../../ui/SegmentedControl.tsx'
import { Select } from '../../../ui/Select.tsx'
import { scopeOf, type BatchTarget } from '../bundle-targets.ts'
import { EACH_MAX } from '../each-target.ts'
import type { PropertyChoice } from '../property-choices.ts'
import type { ChosenBlock, ChosenProperties } from './use-chosen-properties.ts'

const ADD = 'batch-add-property'

/** The properties that a batch sets, each with its value for all targets or for each. */
export function ChosenPropertyFields({
  properties,
  targets,
  control,
}: {
  properties: ChosenProperties
  targets: readonly BatchTarget[]
  control: Control<OperationValues>
}) {
  const t = useText()
  const { blocks, choices, chosen, isUnknown, add } = properties
  const optional = blocks.filter(({ isRequired }) => !isRequired)
  // an install need not set anything else
  const canRemove = optional.length < blocks.length || optional.length === 0
  const isLast =
    optional.at(-1)?.chosen !== null &&
    chosen.filter(({ choice }) => choices.includes(choice)).length < choices.length
  return (
    <div {...focusHome(ADD)} className="space-y-4">
      {blocks.map((block) => (
        <Block
          key={block.id}
          block={block}
          number={optional.length > 1 ? optional.indexOf(block) + 1 : null}
          canRemove={canRemove || optional.length > 1}
          properties={properties}
          targets={targets}
          control={control}
        />
      ))}
      {!isUnknown && isLast && (
        <Button id={ADD} size="sm" icon="plus" onClick={add}>
          {t('batches.make.property.add')}
        </Button>
      )}
    </div>
  )
}

function Block({
  block: { id, isRequired, chosen, canBeEach, resources },
  number,
  canRemove,
  properties,
  targets,
  control,
}: {
  block: ChosenBlock
  /** Of several. */
  number: number | null
  canRemove: boolean
  properties: ChosenProperties
  targets: readonly BatchTarget[]
  control: Control<OperationValues>
}) {
  const t = useText()
  const { choices, isUnknown, choose, setEach, remove } = properties
  const choice = chosen?.choice
  const of = targets.length
  const taken = new Set(properties.chosen.map((other) => other.choice))
  const has = choice?.places.size ?? 0
  const isMixed = new Set(choices.map(groupOf)).size > 1
  const first = targets.find((target) => choice?.places.has(target.id))
  return (
    <div className="space-y-3">
      {!isRequired && (
        <div className="flex items-start gap-2">
          <Field
            label={
              number === null ? t('batches.make.property') : t('batches.make.property.numbered', { number })
            }
            className="min-w-0 flex-1"
            help={
              isUnknown
                ? t('batches.make.property.none')
                : choice !== undefined && has < of && t('batches.make.property.others', { n: of - has })
            }
          >
            {(wiring) => (
              <Select
                {...wiring}
                // what was added is what the person does next
                ref={id > 0 && choice === undefined ? focus : undefined}
                value={choice?.key ?? ''}
                placeholder={t('batches.make.property.choose')}
                options={choices
                  .filter((one) => one === choice || !taken.has(one))
                  .map((one) => ({
                    value: one.key,
                    label: one.known === of ? choiceName(one) : countedName(one, of, t),
                    ...(isMixed && { group: joinList(t, one.bundles) }),
                  }))}
                onChange={(event) => choose(id, event.target.value)}
              />
            )}
          </Field>
          {canRemove && (
            <Button
              variant="quiet"
              icon="close"
              className="mt-6"
              label={
                choice === undefined
                  ? t('batches.make.property.removeEmpty')
                  : t('batches.make.property.remove', { property: choiceName(choice) })
              }
              onClick={() => remove(id)}
            />
          )}
        </div>
      )}
      {has > EACH_MAX && <p className="text-muted">{t('batches.make.each.tooMany', { max: EACH_MAX })}</p>}
      {chosen !== null && canBeEach && (
        <EachChoice isEach={chosen.isEach} count={has} onChange={(isEach) => setEach(id, isEach)} />
      )}
      {first !== undefined && resources.length > 0 && (
        <OperationFields
          key={`${choice?.key} ${chosen?.isEach}`}
          control={control}
          resources={resources}
          scope={scopeOf(first)}
          fold={false}
        />
      )}
    </div>
  )
}

/** Whether all targets get the same value. */
export function EachChoice({
  isEach,
  count,
  onChange,
}: {
  isEach: boolean
  count: number
  onChange: (isEach: boolean) => void
}) {
  const t = useText()
  return (
    <div className="flex">
      <SegmentedControl
        label={t('batches.make.each.label')}
        value={isEach ? 'each' : 'all'}
        options={[
          { value: 'all', label: t('batches.make.each.all', { n: count }) },
          { value: 'each', label: t('batches.make.each.each') },
        ]}
        onChange={(value) => onChange(value === 'each')}
      />
    </div>
  )
}

const focus = (select: HTMLSelectElement | null) => select?.focus()

const groupOf = ({ bundles }: PropertyChoice): string => JSON.stringify(bundles)

/** The title of a chosen property, with that of its resource. */
export const choiceName = ({ resource, field }: PropertyChoice): string =>
  `${resource.title} · ${propertyTitle(field.definition, field.property)}`

const countedName = (choice: PropertyChoice, of: number, t: Translate): string =>
  t('batches.make.property.some', { property: choiceName(choice), n: choice.known, of })
