import { useEffect, useRef, type ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'

/** The height of the dock; toasts stay above it. */
const HEIGHT = '--dock-height'

/**
 * At the lower edge of the window: unsaved changes, saves by others, and the progress of saves. Nothing in it moves the
 * field that the person is typing in, and no toast covers its buttons.
 */
export function Dock({ children }: { children: ReactNode }) {
  const t = useText()
  const dock = useRef<HTMLElement>(null)
  useEffect(() => {
    const shown = dock.current
    if (shown === null) return
    const { style } = document.documentElement
    const sizes = new ResizeObserver(() => style.setProperty(HEIGHT, `${shown.offsetHeight}px`))
    sizes.observe(shown)
    return () => {
      sizes.disconnect()
      style.removeProperty(HEIGHT)
    }
  }, [])
  return (
    <aside
      ref={dock}
      aria-label={t('configuration.dock')}
      className="sticky bottom-0 z-10 divide-y divide-line overflow-hidden rounded-t-lg border border-b-0 border-line-strong bg-raised shadow-2 empty:hidden"
    >
      {children}
    </aside>
  )
}
