import type { IntentListeners } from '../../../base/lazy-part.ts'
import { cx } from '../../../ui/class-names.ts'

/** A button inside a line of small text. */
export function SmallButton({
  onClick,
  className,
  children,
  ...intent
}: Partial<IntentListeners> & {
  onClick: () => void
  className?: string
  children: string
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      {...intent}
      className={cx('h-6 rounded-sm font-medium hover:underline', className ?? 'text-muted hover:text-ink')}
    >
      {children}
    </button>
  )
}
