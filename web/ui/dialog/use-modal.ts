import { useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react'

/**
 * Shows a `<dialog>` as a modal one while its component is mounted: what is behind it is inert, and the focus returns to
 * where it was.
 *
 * @param firstFocus what has the focus first.
 */
export function useModal(
  firstFocus: (dialog: HTMLDialogElement) => HTMLElement | null,
): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null)
  const focusFirst = useEffectEvent((dialog: HTMLDialogElement) => firstFocus(dialog)?.focus())
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    dialog.showModal()
    focusFirst(dialog)
    // closed before it is removed: only then does the browser give the focus back
    return () => dialog.close()
  }, [])
  return ref
}
