import { useEffect, useEffectEvent, useRef, type RefObject } from 'react'

/** How far a pointer moves before a press becomes a drag. */
const DRAG_PX = 4
/** The wheel distance that doubles the magnification. */
const WHEEL_PX = 240

type Gestures = {
  /** The element that listens, and the one whose width is the axis. */
  body: RefObject<HTMLElement | null>
  track: RefObject<HTMLElement | null>
  isZoomed: boolean
  /** `anchor` is the place that keeps its position, 0 to 1. */
  onZoom: (factor: number, anchor: number) => void
  /** By a share of the visible time. */
  onMove: (by: number) => void
}

/**
 * Zooms with Ctrl or Cmd and the wheel, and with two fingers; moves with a drag and with a horizontal wheel. Everything else
 * scrolls the page.
 */
export function useZoomGestures({ body, track, isZoomed, onZoom, onMove }: Gestures): void {
  const pointers = useRef(new Map<number, number>())
  const isDragging = useRef(false)
  const placeOf = (clientX: number) => {
    const box = track.current?.getBoundingClientRect()
    return box && box.width > 0
      ? { anchor: Math.min(1, Math.max(0, (clientX - box.left) / box.width)), width: box.width }
      : null
  }
  const wheel = useEffectEvent((event: WheelEvent) => {
    const place = placeOf(event.clientX)
    if (place === null) return
    if (event.ctrlKey || event.metaKey) onZoom(2 ** (-event.deltaY / WHEEL_PX), place.anchor)
    else if (isZoomed && Math.abs(event.deltaX) > Math.abs(event.deltaY)) onMove(event.deltaX / place.width)
    else return
    event.preventDefault()
  })
  const down = useEffectEvent((event: PointerEvent) => {
    const isOnTrack = event.target instanceof Element && event.target.closest('[data-track]') !== null
    if (!isOnTrack || event.button !== 0) return
    if (pointers.current.size === 0) isDragging.current = false
    pointers.current.set(event.pointerId, event.clientX)
  })
  const move = useEffectEvent((event: PointerEvent) => {
    const last = pointers.current.get(event.pointerId)
    if (last === undefined) return
    const [one, other] = pointers.current.values()
    const dx = event.clientX - last
    if (!isDragging.current && Math.abs(dx) < DRAG_PX && other === undefined) return
    const place = placeOf(event.clientX)
    if (place === null || (other === undefined && !isZoomed)) return
    isDragging.current = true
    body.current?.setPointerCapture(event.pointerId)
    if (one !== undefined && other !== undefined) {
      const still = last === one ? other : one
      const [before, after] = [Math.abs(last - still), Math.abs(event.clientX - still)]
      const middle = placeOf((event.clientX + still) / 2)
      if (middle !== null && before > 0 && after > 0) onZoom(after / before, middle.anchor)
    } else onMove(-dx / place.width)
    pointers.current.set(event.pointerId, event.clientX)
  })
  const up = useEffectEvent((event: PointerEvent) => void pointers.current.delete(event.pointerId))
  const click = useEffectEvent((event: MouseEvent) => {
    if (!isDragging.current) return
    // the end of a drag chooses no attempt
    isDragging.current = false
    event.preventDefault()
    event.stopPropagation()
  })
  useEffect(() => {
    const element = body.current
    if (element === null) return
    const listening = new AbortController()
    const { signal } = listening
    element.addEventListener('wheel', (event) => wheel(event), { signal, passive: false })
    element.addEventListener('pointerdown', (event) => down(event), { signal })
    element.addEventListener('pointermove', (event) => move(event), { signal })
    for (const end of ['pointerup', 'pointercancel'] as const)
      element.addEventListener(end, (event) => up(event), { signal })
    element.addEventListener('click', (event) => click(event), { signal, capture: true })
    return () => listening.abort()
  }, [body])
}
