import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'

/** Shown instead of an empty list: why it is empty, and what to do. */
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
      {icon && <Icon name={icon} size={24} className="mb-3 text-faint" />}
      <p className="font-medium">{title}</p>
      {message && <p className="mt-1 max-w-[52ch] text-muted">{message}</p>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  )
}
