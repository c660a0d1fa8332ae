import type { ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './Icon.tsx'

export type NoticeTone = 'info' | 'warn' | 'error' | 'ok'

const LOOK: Record<NoticeTone, { icon: IconName; box: string; glyph: string }> = {
  info: { icon: 'info', box: 'border-line bg-sunken', glyph: 'text-muted' },
  warn: { icon: 'warning', box: 'border-doubt-line bg-doubt-tint', glyph: 'text-doubt' },
  error: { icon: 'failed', box: 'border-fail-line bg-fail-tint', glyph: 'text-fail' },
  ok: { icon: 'done', box: 'border-ok-line bg-ok-tint', glyph: 'text-ok' },
}

/** A line or two about the page. `live` announces it to screen readers when it appears. */
export function Notice({
  tone = 'info',
  icon,
  title,
  children,
  actions,
  live = false,
  className,
}: {
  tone?: NoticeTone
  icon?: IconName
  title?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  live?: boolean
  className?: string | undefined
}) {
  const look = LOOK[tone]
  return (
    <div
      role={live ? (tone === 'error' ? 'alert' : 'status') : undefined}
      className={cx('flex gap-2.5 rounded-md border px-3 py-2', look.box, className)}
    >
      <Icon name={icon ?? look.icon} size={16} className={cx('mt-0.5', look.glyph)} />
      <div className="flex min-w-0 flex-1 flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="max-w-[88ch] min-w-0 wrap-anywhere">
          {title && <p className="font-semibold">{title}</p>}
          {children && <div>{children}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  )
}
