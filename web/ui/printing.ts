import { useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import { isBrowser } from '../base/environment.ts'

const listeners = new Set<() => void>()
let isPrinting = false

function set(next: boolean): void {
  if (isPrinting === next) return
  isPrinting = next
  // the browser prints what is rendered when the event ends
  flushSync(() => {
    for (const listener of listeners) listener()
  })
}

if (isBrowser) {
  addEventListener('beforeprint', () => set(true))
  addEventListener('afterprint', () => set(false))
  matchMedia('print').addEventListener('change', ({ matches }) => set(matches))
}

/** Whether the page is being printed: what a person would unfold is then shown in full. */
export const useIsPrinting = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isPrinting,
  )
