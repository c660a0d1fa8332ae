import { rememberOpener } from './keep-focus.ts'
import { useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react'

/**
 * Shows a `<dialog>` as modal while its component is mounted: the page behind it is inert, and closing restores the
 * focus.
 *
 * @param firstFocus the element to focus first.
 */
export function useModal(
  firstFocus: (dialog: HTMLDialogElement) => HTMLElement | null,
): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null)
  const focusFirst = useEffectEvent((dialog: HTMLDialogElement) => firstFocus(dialog)?.focus())
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    keepPageWidth()
    rememberOpener(dialog)
    dialog.showModal()
    markPage()
    focusFirst(dialog)
    return () => {
      // closed before it is removed, because only then does the browser restore the focus
      dialog.close()
      markPage()
    }
  }, [])
  return ref
}

/** Whether a modal dialog is open: shortcuts of the page wait until it is closed, because it may hold input. */
export const isDialogOpen = (): boolean => document.querySelector('dialog:modal') !== null

/** Marks the page while a dialog is open, for base.css. `html:has(dialog:modal)` would be matched again on each key press in a field. */
function markPage(): void {
  document.documentElement.toggleAttribute('data-modal', isDialogOpen())
}

/** Stores the width of the page's scrollbar, which the first dialog hides; see base.css. */
function keepPageWidth(): void {
  if (isDialogOpen()) return
  const { style, clientWidth } = document.documentElement
  style.setProperty('--scrollbar-width', `${innerWidth - clientWidth}px`)
}
