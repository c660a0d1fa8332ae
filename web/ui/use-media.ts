import { useCallback } from 'react'
import { useStore } from '../base/external-store.ts'

/** Whether the window fits a media query, which is created once, outside the component. */
export function useMedia(query: MediaQueryList): boolean {
  const watch = useCallback(
    (listener: () => void) => {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    [query],
  )
  return useStore(watch, () => query.matches)
}
