import { useId, type ReactNode } from 'react'
import { cx } from './class-names.ts'

/** A titled part of a page. `flush` lets a table or list reach the edges. */
export function Section({
  title,
  description,
  actions,
  children,
  flush = false,
  className,
}: {
  title: ReactNode
  description?: ReactNode
  actions?: ReactNode
  children: ReactNode
  flush?: boolean
  className?: string | undefined
}) {
  const id = useId()
  return (
    // beside others, its card is as high as theirs
    <section aria-labelledby={id} className={cx('min-w-0', !flush && 'flex flex-col', className)}>
      <div className="mb-2 flex min-h-8 flex-wrap items-end justify-between gap-x-4 gap-y-1">
        {/* a description wraps before the actions do */}
        <div className={cx('min-w-0', Boolean(description) && 'flex-1 basis-80')}>
          <h2 id={id} className="flex items-center gap-2 text-md font-semibold">
            {title}
          </h2>
          {description && <p className="max-w-[72ch] text-muted">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {flush ? children : <Card className="grow">{children}</Card>}
    </section>
  )
}

export function Card({
  children,
  className,
  padded = true,
}: {
  children: ReactNode
  className?: string | undefined
  padded?: boolean
}) {
  return (
    <div className={cx('min-w-0 rounded-lg border border-line bg-surface', padded && 'p-4', className)}>
      {children}
    </div>
  )
}
