import type { ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'

/** What is selected in a list and what can be done with it; docked to the window's lower edge. */
export function SelectionBar({
  count,
  onClear,
  all,
  children,
}: {
  count: number
  onClear: () => void
  /** Selects everything that matches the filters. */
  all: { isBusy: boolean; onSelect: () => void }
  children: ReactNode
}) {
  const t = useText()
  return (
    <section
      aria-label={t('selection.bar')}
      className="sticky bottom-4 z-20 mt-3 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-surface px-4 py-2 shadow-lg"
    >
      <span role="status" className="mr-2 font-medium">
        {t('selection.count', { n: count })}
      </span>
      <Button size="sm" busy={all.isBusy} onClick={all.onSelect}>
        {t('selection.all')}
      </Button>
      <Button size="sm" onClick={onClear}>
        {t('selection.clear')}
      </Button>
      <span data-selection-actions="" className="flex flex-1 flex-wrap justify-end gap-2">
        {children}
      </span>
    </section>
  )
}
