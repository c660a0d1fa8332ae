import type { ComponentProps, ReactNode } from 'react'
import { cx } from './class-names.ts'

/** A checkbox with its label. Without a label, the name comes from outside (`aria-label` or a field's wiring). */
export function Checkbox({
  children,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'type'> & { children?: ReactNode }) {
  const box = <input {...rest} type="checkbox" className="checkbox" />
  if (children === undefined)
    return <span className="inline-flex size-6 items-center justify-center">{box}</span>
  return (
    <label className={cx('inline-flex min-h-6 items-center gap-2', className)}>
      {box}
      <span className="min-w-0">{children}</span>
    </label>
  )
}

/** A setting that applies at once: a checkbox that is drawn and announced as a switch. */
export function Switch({
  children,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'type' | 'role'> & { children?: ReactNode }) {
  return (
    <label className={cx('inline-flex min-h-6 items-center gap-2', className)}>
      <span className="relative inline-flex h-[18px] w-8">
        <input
          {...rest}
          type="checkbox"
          // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props -- a checkbox reports it implicitly
          role="switch"
          className="peer h-full w-full appearance-none rounded-full border border-control bg-selected transition-colors checked:border-ink checked:bg-ink disabled:border-line-strong disabled:bg-sunken"
        />
        <span className="pointer-events-none absolute top-[3px] left-[3px] size-3 rounded-full bg-muted transition-transform peer-checked:translate-x-3.5 peer-checked:bg-inverse forced-colors:border-6" />
      </span>
      {children !== undefined && <span className="min-w-0">{children}</span>}
    </label>
  )
}

export function Radio({
  children,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'type'> & { children: ReactNode }) {
  return (
    <label className={cx('flex min-h-6 items-start gap-2', className)}>
      <input
        {...rest}
        type="radio"
        className="mt-0.5 size-4 shrink-0 cursor-pointer appearance-none rounded-full border border-control bg-surface transition-colors checked:border-5 checked:border-ink disabled:cursor-not-allowed disabled:border-line-strong disabled:bg-sunken"
      />
      <span className="min-w-0 flex-1">{children}</span>
    </label>
  )
}
