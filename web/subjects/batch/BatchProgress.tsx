import type { Batch } from '#contract/console-api/shapes.ts'
import { inLowerCase } from '../../i18n/punctuation.ts'
import { formatNumber } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Duration } from '../../ui/Time.tsx'
import { toneText } from '../../ui/tone.ts'
import { itemLook } from './batch-looks.ts'
import { totalOf } from './batch-counts.ts'

type State = keyof Batch['counts']

const FILL: Record<State, string> = {
  SUCCEEDED: 'bg-ok',
  RUNNING: 'bg-live animate-breathe',
  FAILED: 'bg-danger-fill',
  REFUSED: 'bg-doubt',
  PENDING: 'bg-line-strong',
  SKIPPED: 'bg-[repeating-linear-gradient(135deg,var(--control)_0_2px,transparent_2px_5px)]',
}
/** What is over first, then what is not. */
const ORDER = ['SUCCEEDED', 'FAILED', 'REFUSED', 'RUNNING', 'PENDING', 'SKIPPED'] as const satisfies State[]

/** How far a batch is: a part of the bar for each result, as wide as its number of items, and the same in words. */
export function BatchProgress({ counts }: { counts: Batch['counts'] }) {
  return (
    <div className="w-full min-w-0">
      <ProgressBar counts={counts} className="mb-1 h-1.5" />
      <BatchCounts counts={counts} />
    </div>
  )
}

/** The words alone, for a batch that is over. */
export function BatchCounts({ counts }: { counts: Batch['counts'] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 text-xs">
      {ORDER.filter((state) => counts[state] > 0).map((state) => (
        <Part key={state} state={state} count={counts[state]} />
      ))}
    </ul>
  )
}

function Part({ state, count }: { state: State; count: number }) {
  const t = useText()
  const { icon, tone } = itemLook[state]
  return (
    <li className="flex items-center gap-1 whitespace-nowrap">
      <Icon name={icon} size={12} className={toneText[tone]} />
      <span className="tabular-nums">{formatNumber(count)}</span> {inLowerCase(t(`batches.item.${state}`))}
    </li>
  )
}

/** The parts alone, for where their numbers are said beside it. */
export function ProgressBar({ counts, className }: { counts: Batch['counts']; className?: string }) {
  const total = totalOf(counts)
  if (total === 0) return null
  return (
    <div
      aria-hidden="true"
      // its colors are those of the words beside it, also where the system forces others
      className={cx('flex gap-px overflow-hidden rounded-full forced-color-adjust-none', className)}
    >
      {ORDER.filter((state) => counts[state] > 0).map((state) => (
        <span
          key={state}
          className={cx('min-w-1.5', FILL[state])}
          style={{ flexGrow: counts[state], flexBasis: 0 }}
        />
      ))}
    </div>
  )
}

/** How long a batch took, or how long it has been going on. */
export function BatchDuration({ batch: { createdAt, finishedAt } }: { batch: Batch }) {
  const since = Date.parse(createdAt)
  return finishedAt === null ? <Duration since={since} /> : <Duration ms={Date.parse(finishedAt) - since} />
}
