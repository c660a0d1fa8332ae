import { useState, type ReactNode } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from './Button.tsx'
import { useIsPrinting } from './printing.ts'

/** So many more are shown with each press: a page with all of very many would not respond. */
const STEP = 1_000

/** The first of what may be very many items, and the button that shows more of them; null where there are no more. */
export function useFirstItems<Item>(
  items: readonly Item[],
  most: number,
): { shown: readonly Item[]; more: ReactNode } {
  const t = useText()
  const [added, setAdded] = useState(0)
  const isPrinting = useIsPrinting()
  if (items.length <= most || isPrinting) return { shown: items, more: null }
  const left = items.length - most - added
  return {
    shown: items.slice(0, most + added),
    more: (
      <Button
        size="sm"
        variant="quiet"
        aria-expanded={left <= 0}
        onClick={() => setAdded(left > 0 ? added + STEP : 0)}
      >
        {left > 0 ? t('common.json.rest', { n: left }) : t('common.value.less')}
      </Button>
    ),
  }
}
