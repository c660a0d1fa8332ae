import { useEffect, useRef, type ReactNode } from 'react'
import { cx } from './class-names.ts'
import { focusHome } from './keep-focus.ts'

/** The height of the dock; toasts stay above it. */
const HEIGHT = '--dock-height'

/**
 * At the lower edge of the window: what the person has entered and how it stands, with the buttons that end it. Nothing in
 * it moves the field that the person is typing in, and no toast covers its buttons.
 */
export function Dock({
  label,
  homes,
  isAfloat = false,
  children,
}: {
  label: string
  /** The ids of what gets the focus when a button in it disappears. */
  homes: readonly string[]
  /** Whether something comes below it when the page is scrolled to its end. */
  isAfloat?: boolean
  children: ReactNode
}) {
  const dock = useRef<HTMLElement>(null)
  useEffect(() => {
    const shown = dock.current
    if (shown === null) return
    const { style } = document.documentElement
    const sizes = new ResizeObserver(() => {
      // a property of the root styles every element again, so an empty dock leaves it alone
      if (shown.offsetHeight === 0) style.removeProperty(HEIGHT)
      else style.setProperty(HEIGHT, `${shown.offsetHeight}px`)
    })
    sizes.observe(shown)
    return () => {
      sizes.disconnect()
      style.removeProperty(HEIGHT)
    }
  }, [])
  return (
    <aside
      ref={dock}
      {...focusHome(...homes)}
      aria-label={label}
      className={cx(
        'sticky z-10 divide-y divide-line overflow-hidden border border-line-strong bg-raised shadow-2 empty:hidden',
        isAfloat ? 'bottom-3 rounded-lg' : 'bottom-0 rounded-t-lg border-b-0',
      )}
    >
      {children}
    </aside>
  )
}
