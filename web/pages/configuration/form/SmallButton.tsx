import { cx } from '../../../ui/class-names.ts'

/** A button inside a line of small text. */
export function SmallButton({
  onClick,
  className,
  children,
}: {
  onClick: () => void
  className?: string
  children: string
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx('h-6 rounded-sm font-medium hover:underline', className ?? 'text-muted hover:text-ink')}
    >
      {children}
    </button>
  )
}
