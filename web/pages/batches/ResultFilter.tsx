import { BATCH_ITEM_STATES } from '#contract/console-api/vocabulary.ts'
import type { Batch } from '#contract/console-api/shapes.ts'
import { itemLook } from '../../subjects/batch/batch-looks.ts'
import { useText } from '../../i18n/use-text.ts'
import { Count } from '../../ui/Badge.tsx'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'
import { toneText } from '../../ui/tone.ts'
import { totalOf } from './progress.ts'

/** The number of items in each state; a press shows only these. */
export function ResultFilter({
  counts,
  value,
  onChange,
}: {
  counts: Batch['counts']
  value: string | undefined
  onChange: (state: string | undefined) => void
}) {
  const t = useText()
  const choices = BATCH_ITEM_STATES.filter((state) => counts[state] > 0 || state === value)
  const press = 'inline-flex h-8 items-center gap-1.5 rounded-md border px-2.5'
  const look = (isOn: boolean) => cx(press, isOn ? 'border-ink bg-selected' : 'border-line hover:bg-hover')
  return (
    <div role="group" aria-label={t('batches.items.result')} className="mb-3 flex flex-wrap gap-2">
      <button
        type="button"
        aria-pressed={value === undefined}
        className={look(value === undefined)}
        onClick={() => onChange(undefined)}
      >
        {t('batches.filter.all')} <Count>{totalOf(counts)}</Count>
      </button>
      {choices.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={value === state}
          className={look(value === state)}
          onClick={() => onChange(value === state ? undefined : state)}
        >
          <Icon name={itemLook[state].icon} size={14} className={toneText[itemLook[state].tone]} />
          {t(`batches.item.${state}`)} <Count>{counts[state]}</Count>
        </button>
      ))}
    </div>
  )
}
