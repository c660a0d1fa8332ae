import { useId, type ReactNode } from 'react'
import type { Conflict, Side } from '#contract/json-schema/merge-json.ts'
import { useText } from '../../i18n/use-text.ts'
import { SideChoice } from '../../ui/SideChoice.tsx'
import { PlaceName } from '../../ui/value/LeafChanges.tsx'
import { PropertyValueView, ValueView } from '../../ui/value/ValueView.tsx'
import { isHidden, viewOf } from '../../forms/property/property-value.ts'
import type { Both } from './merge-values.ts'

/** One leaf that both changed: the person chooses base, theirs or mine. */
export function LeafChoice({
  conflict,
  place,
  chosen,
  onChoose,
}: {
  conflict: Conflict
  /** Where the leaf is, in words; empty for a whole value. */
  place: string
  chosen: Side | undefined
  onChoose: (side: Side) => void
}) {
  const t = useText()
  const id = useId()
  const title =
    conflict.kind === 'value'
      ? place
      : [place, t('configuration.conflict.order')].filter((part) => part !== '').join(' › ')
  const valueOf = (side: Side) => <LeafValue conflict={conflict} side={side} />
  return (
    <fieldset className="min-w-0 gap-x-4 sm:grid sm:grid-cols-[minmax(0,11rem)_minmax(0,1fr)]">
      <legend className="sr-only">{title}</legend>
      <p aria-hidden="true" className="mb-1.5 sm:mt-2">
        <PlaceName name={title} />
      </p>
      <ThreeSides
        name={id}
        values={{ base: valueOf('base'), theirs: valueOf('theirs'), mine: valueOf('mine') }}
        chosen={chosen}
        onChoose={onChoose}
      />
    </fieldset>
  )
}

/** A value that is decided on as a whole, shown as its property is. */
export function WholeChoice({
  merged: { base, theirs, edit, isSensitive },
  name,
  chosen,
  onChoose,
}: {
  merged: Both & { isSensitive: boolean }
  name: string
  chosen: Side | undefined
  onChoose: (side: Side) => void
}) {
  const t = useText()
  const mine = viewOf(edit, isSensitive)
  const inWords = (text: string) => <span className="text-muted">{text}</span>
  return (
    <ThreeSides
      name={name}
      chosen={chosen}
      onChoose={onChoose}
      values={{
        // a value that nobody can see cannot be restored
        ...(!isHidden(base) && { base: <PropertyValueView value={base} /> }),
        theirs: isSensitive ? (
          inWords(t('configuration.conflict.theirsHidden'))
        ) : (
          <PropertyValueView value={theirs} other={mine} />
        ),
        mine:
          isSensitive && edit.kind !== 'removed' ? (
            inWords(t('configuration.conflict.mineHidden'))
          ) : (
            <PropertyValueView value={mine} other={theirs} />
          ),
      }}
    />
  )
}

/** Base, theirs and mine, in this order. */
function ThreeSides({
  values,
  ...rest
}: {
  /** Of the group of radio buttons. */
  name: string
  /** Without a base where nobody can see it, so that it cannot be chosen. */
  values: Record<Exclude<Side, 'base'>, ReactNode> & { base?: ReactNode }
  chosen: Side | undefined
  onChoose: (side: Side) => void
}) {
  const t = useText()
  const options = (['base', 'theirs', 'mine'] as const)
    .filter((side) => side in values)
    .map((side) => ({ side, label: t(`configuration.conflict.${side}`), value: values[side] }))
  return <SideChoice {...rest} options={options} />
}

function LeafValue({ conflict, side }: { conflict: Conflict; side: Side }) {
  const t = useText()
  const value = conflict[side]
  if (value === undefined)
    return <span className="text-faint italic">{t('configuration.conflict.absent')}</span>
  if (conflict.kind === 'order' && Array.isArray(value))
    return <span className="mono wrap-anywhere">{value.join(' · ')}</span>
  const other = side === 'base' ? undefined : conflict[side === 'mine' ? 'theirs' : 'mine']
  return <ValueView value={value} other={other} />
}
