import { flushSync } from 'react-dom'

/** The distance from the window within which an element is near. */
const MARGIN = '800px'
/** How deep such elements are nested: a list of resources contains blocks of properties. */
const MAX_DEPTH = 3

/** Shared, because a thousand observers would cost more than they save. */
let observer: IntersectionObserver | undefined
const waiting = new Map<Element, () => void>()

/** Calls back when the element is near the window, or the page is printed. Returns what ends the wait. */
export function whenNearWindow(element: Element, onNear: () => void): () => void {
  observer ??= observe()
  waiting.set(element, onNear)
  observer.observe(element)
  return () => {
    waiting.delete(element)
    observer?.unobserve(element)
  }
}

function observe(): IntersectionObserver {
  addEventListener('beforeprint', callAll)
  return new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) waiting.get(target)?.()
    },
    { rootMargin: MARGIN },
  )
}

/** The browser prints what is rendered when the event ends. What is rendered first can contain more elements that wait. */
function callAll(): void {
  for (let depth = 0; depth < MAX_DEPTH && waiting.size > 0; depth++) {
    flushSync(() => {
      for (const onNear of waiting.values()) onNear()
    })
  }
}
