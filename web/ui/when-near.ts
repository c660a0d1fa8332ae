/** The distance from the window within which an element is near. */
const MARGIN = '800px'

/** Shared, because a thousand observers would cost more than they save. */
let observer: IntersectionObserver | undefined
const waiting = new Map<Element, () => void>()

/** Calls back when the element is near the window. Returns what ends the wait. */
export function whenNearWindow(element: Element, onNear: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) waiting.get(target)?.()
    },
    { rootMargin: MARGIN },
  )
  waiting.set(element, onNear)
  observer.observe(element)
  return () => {
    waiting.delete(element)
    observer?.unobserve(element)
  }
}
