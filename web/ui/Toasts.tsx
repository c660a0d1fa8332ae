import { useRef, type FocusEvent } from 'react'
import { useStore } from '../base/external-store.ts'
import { currentToasts, subscribeToToasts } from './toast.ts'
import { ToastCard } from './ToastCard.tsx'

/** Shows toasts. It is always rendered, because a screen reader announces only what is added to a known region. */
export function Toasts() {
  const toasts = useStore(subscribeToToasts, currentToasts)
  const focusedBefore = useRef<EventTarget>(null)
  const rememberFocus = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) focusedBefore.current = relatedTarget
  }
  const restoreFocus = () => {
    if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it only observes the focus
    <div
      aria-live="polite"
      onFocus={rememberFocus}
      className="print:hidden pointer-events-none fixed right-3 bottom-[calc(var(--dock-height,0px)+0.75rem)] left-3 z-50 flex flex-col items-end gap-2 sm:left-auto sm:w-96"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} onClosed={restoreFocus} />
      ))}
    </div>
  )
}
