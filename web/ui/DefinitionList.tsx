import type { ReactNode } from 'react'
import { cx } from './class-names.ts'
import { useFirstItems } from './FirstItems.tsx'

/** `wide`: it needs the width where there is little, `line`: it has a line of its own everywhere. */
export type Definition = { label: ReactNode; value: ReactNode; wide?: boolean | 'line' }

/**
 * Labels and values: one per row, or with `columns` in columns of equal width. `facts` are those at the head of a page: each is
 * as wide as its value where the page is wide.
 */
export function DefinitionList({
  items,
  layout = 'rows',
  most = ROWS_SHOWN,
  className,
}: {
  items: readonly (Definition | false | null | undefined)[]
  layout?: 'rows' | 'columns' | 'facts'
  /** How many rows are shown at first. */
  most?: number
  className?: string | undefined
}) {
  const all = items.filter((item): item is Definition => Boolean(item))
  const { shown, more } = useFirstItems(all, layout === 'rows' ? most : all.length)
  if (layout !== 'rows') {
    return (
      <dl
        className={cx(
          'grid gap-x-4 gap-y-3 sm:gap-x-6',
          layout === 'columns'
            ? 'grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))]'
            : // a fact after a wide one fills the row before it
              'grid-flow-dense grid-cols-2 sm:flex sm:flex-wrap sm:gap-x-8 xl:gap-x-10',
          className,
        )}
      >
        {Object.entries(shown).map(([position, item]) => (
          <div
            key={position}
            className={cx(
              'min-w-0',
              item.wide && 'col-span-full',
              item.wide === 'line' && 'basis-full',
              // otherwise it looks like the rest of the row above
              item.wide && layout === 'columns' && 'border-t border-line pt-3',
            )}
          >
            <dt className="text-xs text-faint">{item.label}</dt>
            <dd className="mt-0.5 min-w-0 wrap-anywhere">{item.value}</dd>
          </div>
        ))}
      </dl>
    )
  }
  return (
    <>
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
      {more}
    </>
  )
}

const ROWS_SHOWN = 200
