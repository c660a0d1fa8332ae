import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import type { FocusEvent, KeyboardEvent, PointerEvent } from 'react'
import { placeNear } from './place-near.ts'

/** Props for the element that has the tooltip. */
export type TooltipTarget = {
  'aria-describedby': string | undefined
  onPointerEnter: (event: PointerEvent<HTMLElement>) => void
  onPointerLeave: (event: PointerEvent<HTMLElement>) => void
  onFocus: (event: FocusEvent<HTMLElement>) => void
  onBlur: () => void
  onKeyDown: (event: KeyboardEvent) => void
}

/**
 * A short text beside an element, on hover and on focus. The pointer can move onto it. The bubble is in the top layer, so
 * no scroll area clips it. A table may hold hundreds of tooltips, so the bubble is rendered only while it is shown, and no
 * element wraps the child, which takes its props from the tooltip.
 */
export function Tooltip({
  text,
  children,
}: {
  /** Without one there is no tooltip. */
  text: ReactNode
  children: (target: TooltipTarget) => ReactNode
}) {
  const id = useId()
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const anchor = text ? target : null
  const close = () => setTarget(null)
  return (
    <>
      {children({
        'aria-describedby': anchor ? id : undefined,
        onPointerEnter: (event) => event.pointerType === 'mouse' && setTarget(event.currentTarget),
        onPointerLeave: ({ relatedTarget }) => !isIn(document.getElementById(id), relatedTarget) && close(),
        onFocus: (event) => event.target.matches(':focus-visible') && setTarget(event.currentTarget),
        onBlur: close,
        onKeyDown: (event) => event.key === 'Escape' && close(),
      })}
      {anchor && <Bubble id={id} anchor={anchor} text={text} onLeave={close} />}
    </>
  )
}

const isIn = (element: Element | null, target: EventTarget | null): boolean =>
  target instanceof Node && element?.contains(target) === true

function Bubble({
  id,
  anchor,
  text,
  onLeave,
}: {
  id: string
  anchor: HTMLElement
  text: ReactNode
  onLeave: () => void
}) {
  const bubble = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    // one frame later, because the focus may come from another popover that is closing
    const frame = requestAnimationFrame(() => {
      const shown = bubble.current
      if (!shown?.isConnected) return
      shown.showPopover()
      placeNear(anchor, shown, 'top')
    })
    return () => cancelAnimationFrame(frame)
  }, [anchor])
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <span
      ref={bubble}
      id={id}
      role="tooltip"
      popover="manual"
      onPointerLeave={({ relatedTarget }) => !isIn(anchor, relatedTarget) && onLeave()}
      // its element may be in a row that handles clicks
      onClick={(event) => event.stopPropagation()}
      // the invisible edge bridges the gap, so that the pointer can move onto the tooltip
      className="fixed max-w-72 animate-appear cursor-default overflow-visible rounded-md bg-ink before:absolute before:-inset-1.5 before:-z-1 px-2 py-1 text-left text-xs font-normal whitespace-normal text-inverse normal-nums shadow-2"
    >
      {text}
    </span>
  )
}
