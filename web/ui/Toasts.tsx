import { Suspense, useEffect, useRef, type FocusEvent } from 'react'
import { useStore } from '../external-store.ts'
import { lazyPart } from '../components/lazy-part.ts'
import { currentToasts, subscribeToToasts } from './toast.ts'

const ToastCard = lazyPart(async () => (await import('./ToastCard.tsx')).ToastCard)

/** Shows toasts. It is always rendered, because a screen reader announces only what is added to a known region. */
export function Toasts() {
  const toasts = useStore(subscribeToToasts, currentToasts)
  // every toast answers an action of the person
  useEffect(() => {
    const stopped = new AbortController()
    for (const type of ['pointerdown', 'keydown'])
      addEventListener(type, ToastCard.load, { once: true, signal: stopped.signal })
    return () => stopped.abort()
  }, [])
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
      className="pointer-events-none fixed right-3 bottom-[calc(var(--dock-height,0px)+0.75rem)] left-3 z-50 flex flex-col items-end gap-2 sm:left-auto sm:w-96"
    >
      {toasts.map((toast) => (
        <Suspense key={toast.id}>
          <ToastCard toast={toast} onClosed={restoreFocus} />
        </Suspense>
      ))}
    </div>
  )
}
