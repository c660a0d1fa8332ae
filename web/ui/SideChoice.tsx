import type { ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Radio } from './Checkbox.tsx'

export interface SideOption<Side extends string> {
  side: Side
  label: string
  value: ReactNode
}

/** Several values of one thing side by side, of which one is chosen: radio buttons, so the arrow keys move between them. */
export function SideChoice<Side extends string>({
  options,
  name,
  chosen,
  onChoose,
}: {
  options: readonly SideOption<Side>[]
  /** Of the group of radio buttons. */
  name: string
  chosen: Side | undefined
  onChoose: (side: Side) => void
}) {
  return (
    <div className={cx('grid gap-2', options.length === 3 ? 'sm:grid-cols-3' : 'sm:grid-cols-2')}>
      {options.map(({ side, label, value }) => (
        <Radio
          key={side}
          name={name}
          checked={chosen === side}
          onChange={() => onChoose(side)}
          className={cx(
            'min-w-0 cursor-pointer rounded-md border px-3 py-1.5',
            chosen === side ? 'border-ink bg-selected' : 'border-line-strong bg-surface hover:bg-hover',
          )}
        >
          {/* a short value stands beside the label */}
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span className="text-xs font-medium text-muted">{label}</span>
            <span className="min-w-0">{value}</span>
          </span>
        </Radio>
      ))}
    </div>
  )
}
