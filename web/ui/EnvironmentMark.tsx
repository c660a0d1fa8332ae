import { createContext, use } from 'react'
import type { EnvironmentMark } from '#contract/console-api/rows.ts'
import { cx } from './class-names.ts'

/** The mark of the environment that the page belongs to; null if it belongs to none, or to one without a mark. */
export const EnvironmentContext = createContext<EnvironmentMark | null>(null)

const FILL: Record<EnvironmentMark['color'], string> = {
  red: 'bg-environment-red',
  amber: 'bg-environment-amber',
  green: 'bg-environment-green',
  blue: 'bg-environment-blue',
  violet: 'bg-environment-violet',
}

/** The word of the page's environment on its color, beside what changes something there. */
export function EnvironmentWord({ className }: { className?: string }) {
  const mark = use(EnvironmentContext)
  if (mark === null) return null
  return (
    <span
      className={cx(
        'inline-flex h-5.5 max-w-full items-center truncate rounded-sm px-1.5 text-xs font-semibold text-on-fill forced-colors:border',
        FILL[mark.color],
        className,
      )}
    >
      {mark.word}
    </span>
  )
}

/** The mark of an environment in a row: its color, and its word for those who do not see it. */
export function EnvironmentDot({ mark }: { mark: EnvironmentMark | undefined }) {
  if (mark === undefined) return null
  return (
    <span
      title={mark.word}
      className={cx('size-2 shrink-0 rounded-full forced-color-adjust-none', FILL[mark.color])}
    >
      <span className="sr-only">{mark.word}</span>
    </span>
  )
}

/** A line along the top of the page, in the color of its environment. */
export function EnvironmentLine() {
  const mark = use(EnvironmentContext)
  return (
    mark && <div className={cx('sticky top-(--bar-height) z-20 -mb-1 h-1 print:hidden', FILL[mark.color])} />
  )
}
