import type { ComponentProps, ReactNode } from 'react'
import { formatNumber } from '../i18n/format.ts'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './Icon.tsx'
import { toneLine, toneText, toneTint, type Tone } from './tone.ts'

export type BadgeLook = 'plain' | 'pill'

/**
 * A word with its glyph. `plain` is for rows: only the glyph is colored, so that a page of rows stays calm. `pill` is
 * for prominent places: headers, the selected attempt.
 */
export function Badge({
  tone = 'quiet',
  icon,
  look = 'pill',
  children,
  className,
  ...rest
}: {
  tone?: Tone
  icon?: IconName
  look?: BadgeLook
  children: ReactNode
} & Omit<ComponentProps<'span'>, 'children'>) {
  if (look === 'plain') {
    return (
      <span
        {...rest}
        className={cx(
          'inline-flex min-h-5 max-w-full min-w-0 items-center gap-1.5 align-bottom whitespace-nowrap',
          className,
        )}
      >
        {icon && <Icon name={icon} size={14} className={toneText[tone]} />}
        <span className={cx('truncate', tone === 'quiet' && 'text-muted')}>{children}</span>
      </span>
    )
  }
  return (
    <span
      {...rest}
      className={cx(
        'inline-flex h-5.5 max-w-full min-w-0 items-center gap-1.5 rounded-sm border px-1.5 text-xs font-medium whitespace-nowrap',
        toneText[tone],
        toneTint[tone],
        toneLine[tone],
        className,
      )}
    >
      {icon && <Icon name={icon} size={12} />}
      <span className="truncate">{children}</span>
    </span>
  )
}

/** A number beside a word: in a tab, a filter, a section. */
export function Count({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-selected px-1.5 text-xs font-medium text-muted tabular-nums">
      {typeof children === 'number' ? formatNumber(children) : children}
    </span>
  )
}
