import {
  useId,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type ToggleEvent,
} from 'react'
import { cx } from './class-names.ts'
import { placeNear, type Side } from './place-near.ts'

/** The props of the element that opens the popup. */
export type PopupTrigger = { popoverTarget: string; 'aria-haspopup': 'menu' | 'dialog' }

/**
 * A native popover beside its button: the browser closes it on Escape and on a press outside, and restores the focus.
 * It also closes when the focus leaves it. Its content is rendered when it is first opened.
 */
export function Popup({
  renderTrigger,
  children,
  label,
  side = 'bottom-start',
  role = 'dialog',
  className,
}: {
  renderTrigger: (props: PopupTrigger) => ReactNode
  children: ReactNode
  label: string
  side?: Side
  role?: 'menu' | 'dialog'
  className?: string | undefined
}) {
  const id = useId()
  const anchor = useRef<HTMLSpanElement>(null)
  const sizes = useRef<ResizeObserver>(null)
  const [wasOpened, setWasOpened] = useState(false)
  const place = ({ newState, currentTarget: popup }: ToggleEvent<HTMLDivElement>) => {
    const button = anchor.current?.firstElementChild
    sizes.current?.disconnect()
    if (newState !== 'open' || !button) return
    const settle = () => {
      placeNear(button, popup, side)
      if (!popup.contains(document.activeElement)) firstItem(popup)?.focus({ preventScroll: true })
    }
    settle()
    // content that has to load changes the size when it arrives
    sizes.current = new ResizeObserver(settle)
    sizes.current.observe(popup)
  }
  const closeOnLeave = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    // the browser closes it for the button; closing it here first would let the click reopen it
    if (relatedTarget && !anchor.current?.contains(relatedTarget)) currentTarget.hidePopover()
  }
  return (
    <span ref={anchor} className={cx('inline-flex min-w-0', className)}>
      {renderTrigger({ popoverTarget: id, 'aria-haspopup': role })}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its role is a prop */}
      <div
        id={id}
        popover="auto"
        role={role}
        aria-label={label}
        onBeforeToggle={() => setWasOpened(true)}
        onToggle={place}
        onBlur={closeOnLeave}
        onKeyDown={role === 'menu' ? moveBetweenItems : undefined}
        className="fixed max-h-[70dvh] min-w-44 overflow-y-auto rounded-lg bg-raised p-1 text-sm font-normal shadow-2 open:animate-appear"
      >
        {wasOpened && children}
      </div>
    </span>
  )
}

const items = (menu: Element) => [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')]
const firstItem = (popup: Element) =>
  popup.querySelector<HTMLElement>('[role^="menuitem"], input:checked, input, select, button, a')

function moveBetweenItems(event: KeyboardEvent<HTMLElement>) {
  const all = items(event.currentTarget)
  const at = all.findIndex((item) => item === document.activeElement)
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1 + all.length, Home: 0, End: all.length - 1 }[
    event.key
  ]
  if (to === undefined) return focusByLetter(event, [...all.slice(at + 1), ...all.slice(0, at + 1)])
  if (all.length === 0) return
  event.preventDefault()
  all.at(to % all.length)?.focus()
}

/** Focuses the first item that starts with the typed letter. */
function focusByLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, inOrder: readonly HTMLElement[]) {
  if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return
  const letter = key.toLowerCase()
  inOrder.find((item) => item.textContent.trim().toLowerCase().startsWith(letter))?.focus()
}

/** Closes the popup that contains an element. */
export function closePopup(inside: Element): void {
  const popup = inside.closest<HTMLElement>('[popover]')
  if (popup?.matches(':popover-open')) popup.hidePopover()
}
