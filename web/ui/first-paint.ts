import { startTransition, useEffect, useState } from 'react'
import { isBrowser } from '../environment.ts'

/** Whether this document has painted nothing yet. */
let isUnpainted = isNewVisit()

/**
 * False in the first render of a document, true once that render has been painted. A component that renders more than the
 * window shows renders the rest then, so that the person sees the page sooner. In every later mount it is true at once.
 */
export function useIsPainted(): boolean {
  const [isPainted, setIsPainted] = useState(!isUnpainted)
  useEffect(() => {
    isUnpainted = false
    if (isPainted) return
    let timer: ReturnType<typeof setTimeout>
    // a timer that starts in a frame ends after that frame is painted
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setIsPainted(true)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isPainted])
  return isPainted
}

/** On the server, where the screen is not known: what most windows show. A larger one gets the rest with the page. */
const SERVER_SCREEN_HEIGHT = 960

/**
 * How many rows the window can show at first. The window is no higher than the screen.
 *
 * @param rowPx the height of the lowest row, in CSS pixels.
 * @param abovePx the height of what is always above the rows.
 */
export const rowsOnScreen = (rowPx: number, abovePx: number): number =>
  Math.max(0, Math.ceil(((isBrowser ? screen.height : SERVER_SCREEN_HEIGHT) - abovePx) / rowPx))

/** A page that scrolls somewhere at once, or is hidden and has no frames, is rendered whole at once. */
function isNewVisit(): boolean {
  if (!isBrowser) return true
  const [navigation] = performance.getEntriesByType('navigation')
  return (
    navigation instanceof PerformanceNavigationTiming &&
    navigation.type === 'navigate' &&
    location.hash === '' &&
    !document.hidden
  )
}
