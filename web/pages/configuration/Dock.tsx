import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'

/**
 * Everything that comes up while somebody works lies here, above the lower edge: what is edited, what others saved, what
 * became of a save. So nothing of it pushes the field away that is being typed in.
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
