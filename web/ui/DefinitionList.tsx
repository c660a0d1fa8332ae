import type { ReactNode } from 'react'
import { cx } from './class-names.ts'

export type Definition = { label: ReactNode; value: ReactNode; wide?: boolean }

/** Labels and values: side by side with `columns`, otherwise one per row. */
export function DefinitionList({
  items,
  layout = 'rows',
  className,
}: {
  items: readonly (Definition | false | null | undefined)[]
  layout?: 'rows' | 'columns'
  className?: string | undefined
}) {
  const shown = items.filter((item): item is Definition => Boolean(item))
  if (layout === 'columns') {
    return (
      <dl
        className={cx(
          'grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-x-4 sm:gap-x-6 gap-y-3',
          className,
        )}
      >
        {Object.entries(shown).map(([position, item]) => (
          <div key={position} className={cx('min-w-0', item.wide && 'col-span-full')}>
            <dt className="text-xs text-faint">{item.label}</dt>
            <dd className="mt-0.5 min-w-0 wrap-anywhere">{item.value}</dd>
          </div>
        ))}
      </dl>
    )
  }
  return (
    <dl className={cx('divide-y divide-line', className)}>
      {Object.entries(shown).map(([position, item]) => (
        <div
          key={position}
          className="grid gap-x-4 py-1.5 first:pt-0 last:pb-0 sm:grid-cols-[10rem_minmax(0,1fr)]"
        >
          <dt className="text-muted">{item.label}</dt>
          <dd className="min-w-0 wrap-anywhere">{item.value}</dd>
        </div>
      ))}
    </dl>
  )
}
