import { useCallback, useSyncExternalStore } from 'react'

/** Whether the window fits a media query, which is created once, outside the component. */
export function useMedia(query: MediaQueryList): boolean {
  const watch = useCallback(
    (listener: () => void) => {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(watch, () => query.matches)
}
