import type { ReactNode } from 'react'
import { cx } from '../../../ui/class-names.ts'

/** A change of what the control shows, as quiet text below it. */
export function TextButton({
  onClick,
  className,
  children,
}: {
  onClick: () => void
  className?: string
  children: ReactNode
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx(
        'h-6 rounded-sm text-xs font-medium text-muted hover:text-ink hover:underline',
        className,
      )}
    >
      {children}
    </button>
  )
}
