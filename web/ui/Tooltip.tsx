import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { cx } from './class-names.ts'
import { placeNear } from './place-near.ts'

/**
 * A short text beside an element, on hover and on focus. The pointer can move onto it. The bubble is in the top layer, so
 * no scroll area clips it, and it is rendered only while it is shown, as a table may hold hundreds. The child takes its
 * `aria-describedby` from the tooltip.
 */
export function Tooltip({
  text,
  children,
  className,
}: {
  text: ReactNode
  children: (props: { 'aria-describedby': string | undefined }) => ReactNode
  className?: string | undefined
}) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const anchor = useRef<HTMLSpanElement>(null)
  return (
    // it only listens to what happens to its child
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <span
      ref={anchor}
      className={cx('inline-flex max-w-full min-w-0 align-bottom', className)}
      onPointerEnter={(event) => event.pointerType === 'mouse' && setOpen(true)}
      onPointerLeave={() => setOpen(false)}
      onFocus={(event) => event.target.matches(':focus-visible') && setOpen(true)}
      onBlur={() => setOpen(false)}
      onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
    >
      {children({ 'aria-describedby': open ? id : undefined })}
      {open && <Bubble id={id} anchor={anchor} text={text} />}
    </span>
  )
}

function Bubble({
  id,
  anchor,
  text,
}: {
  id: string
  anchor: React.RefObject<HTMLElement | null>
  text: ReactNode
}) {
  const bubble = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    // a frame later: the focus that opened it may come from another popover that is just closing
    const frame = requestAnimationFrame(() => {
      const shown = bubble.current
      if (!shown?.isConnected || !anchor.current) return
      shown.showPopover()
      placeNear(anchor.current.firstElementChild ?? anchor.current, shown, 'top')
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
      // its element may be in a row that reacts to clicks
      onClick={(event) => event.stopPropagation()}
      // the invisible edge bridges the gap, so that the pointer does not leave both on its way
      className="fixed max-w-72 animate-appear cursor-default overflow-visible rounded-md bg-ink before:absolute before:-inset-1.5 before:-z-1 px-2 py-1 text-left text-xs font-normal whitespace-normal text-inverse normal-nums shadow-2"
    >
      {text}
    </span>
  )
}
