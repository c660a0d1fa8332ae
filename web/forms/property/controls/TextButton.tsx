import { useId, type ComponentProps, type ReactNode } from 'react'
import { cx } from '../../../ui/class-names.ts'

/** A button in a line of small text at a control. Its name is its text, followed by that of the control. */
export function TextButton({
  of,
  isAccent = false,
  onClick,
  className,
  children,
  ...rest
}: ComponentProps<'button'> & {
  /** The id of what names the control. */
  of: string
  /** It concerns the person's own edit. */
  isAccent?: boolean
  onClick: () => void
  className?: string
  children: ReactNode
}) {
  const id = useId()
  return (
    <button
      {...rest}
      type="button"
      id={id}
      aria-labelledby={`${id} ${of}`}
      onClick={onClick}
      className={cx(
        'h-6 shrink-0 rounded-sm text-xs font-medium hover:underline',
        isAccent ? 'text-accent' : 'text-muted hover:text-ink',
        className,
      )}
    >
      {children}
    </button>
  )
}
