import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'

/**
 * At the lower edge of the window: unsaved changes, saves by others, and the progress of saves. Nothing in it moves the
 * field that the person is typing in.
 */
export function Dock({ children }: { children: ReactNode }) {
  const t = useText()
  return (
    <aside
      aria-label={t('configuration.dock')}
      className="sticky bottom-0 z-10 divide-y divide-line overflow-hidden rounded-t-lg border border-b-0 border-line-strong bg-raised shadow-2 empty:hidden"
    >
      {children}
    </aside>
  )
}
