import { useDeferredValue, useEffect } from 'react'

/** Whether the next page is the first of the visit. */
export const visit = {
  // after a reload or "back", the page scrolls to where it was, so it must have its full height at once
  isOpening: performance
    .getEntriesByType('navigation')
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'navigate'),
}

/**
 * Whether this is the first render of the first page of a visit. A large page then renders only what the window shows;
 * React renders the rest right after that paint, and a press interrupts it.
 */
export function useIsOpening(): boolean {
  const isOpening = useDeferredValue(false, visit.isOpening)
  useEffect(() => {
    visit.isOpening = false
  }, [])
  return isOpening
}
