import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'

/**
 * Floats above the lower edge of the window: unsaved changes, saves by others, and the progress of saves. Nothing in it
 * moves the field that the person is typing in.
 */
export function Dock({ children }: { children: ReactNode }) {
  const t = useText()
  return (
    <aside
      aria-label={t('configuration.dock')}
      className="sticky bottom-3 z-10 mt-8 divide-y divide-line overflow-hidden rounded-lg border border-line-strong bg-raised shadow-2 empty:hidden"
    >
      {children}
    </aside>
  )
}
