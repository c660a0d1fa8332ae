import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** The current layout width of an element, for drawing to scale. */
export function useWidth<Shown extends HTMLElement>(): [ref: RefObject<Shown | null>, width: number] {
  const ref = useRef<Shown>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const shown = ref.current
    if (!shown) return
    setWidth(shown.clientWidth)
    const observer = new ResizeObserver(() => setWidth(shown.clientWidth))
    observer.observe(shown)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
