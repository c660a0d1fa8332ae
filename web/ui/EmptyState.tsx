import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'

/** Shown instead of an empty list: why it is empty, and what to do. Its icon takes the place of the middle beat of the mark. */
export function EmptyState({
  icon,
  title,
  message,
  action,
}: {
  icon?: IconName
  title: ReactNode
  message?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      {icon && (
        <span className="mb-4 flex h-10 w-16 items-center justify-between text-line-strong before:h-full before:w-2 before:border-3 before:border-r-0 before:border-current after:h-full after:w-2 after:border-3 after:border-l-0 after:border-current">
          <Icon name={icon} size={20} className="mx-auto text-muted" />
        </span>
      )}
      <p className="font-medium">{title}</p>
      {message && <p className="mt-1 max-w-[52ch] text-muted">{message}</p>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  )
}
