import { useLayoutEffect, useState, useSyncExternalStore } from 'react'

let open: readonly symbol[] = []
const listeners = new Set<() => void>()

function change(next: readonly symbol[]): void {
  open = next
  for (const listener of listeners) listener()
}

/**
 * Whether this dialog lies on top of all that are open. Only that one may be modal: each modal dialog hides the rest of
 * the page from a screen reader, and two beside each other (one of a page, and the one of a lost session) hid both.
 */
export function useIsOnTop(): boolean {
  const [self] = useState(() => Symbol('dialog'))
  useLayoutEffect(() => {
    change([...open, self])
    return () => change(open.filter((other) => other !== self))
  }, [self])
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => !open.includes(self) || open.at(-1) === self,
  )
}
