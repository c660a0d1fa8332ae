import { useRef, useEffect, useState, useSyncExternalStore, type FocusEvent } from 'react'
import { currentToasts, subscribeToToasts, dismissToast, type Toast } from './toast.ts'
import { useText } from '../i18n/use-text.ts'
import { Icon, type IconName } from './Icon.tsx'
import { PlainLink } from './Link.tsx'
import type { NoticeTone } from './Notice.tsx'

/** Shows toasts. It is always rendered, because a screen reader announces only what is added to a known region. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
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

const STAY_MS = 7000
const GLYPH: Record<NoticeTone, IconName> = { ok: 'done', info: 'info', warn: 'warning', error: 'failed' }

/** One toast. It closes after a while, unless the pointer or the focus is on it. */
function ToastCard({ toast, onClosed }: { toast: Toast; onClosed: () => void }) {
  const t = useText()
  const [held, setHeld] = useState(false)
  useEffect(() => {
    // it stays while the pointer or the focus is on it
    if (held) return
    const timer = setTimeout(() => dismissToast(toast.id), STAY_MS)
    return () => clearTimeout(timer)
  }, [held, toast.id])
  return (
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex w-full animate-appear items-start gap-2.5 rounded-lg bg-ink [--surface:var(--ink)] py-2 pr-2 pl-3 text-inverse shadow-2"
    >
      <Icon name={GLYPH[toast.tone]} className="mt-1.5" />
      <p className="min-w-0 flex-1 py-1 wrap-anywhere">
        {toast.text}{' '}
        {toast.link && (
          <PlainLink
            to={toast.link.to}
            onClick={() => dismissToast(toast.id)}
            className="rounded-sm font-medium underline underline-offset-3 focus-visible:outline-current"
          >
            {toast.link.label}
          </PlainLink>
        )}
      </p>
      {toast.action && (
        <button
          type="button"
          onClick={() => {
            const press = toast.action?.onPress
            dismissToast(toast.id)
            onClosed()
            press?.()
          }}
          className="mt-0.5 h-6 shrink-0 rounded-sm px-1.5 font-semibold hover:bg-inverse/15 focus-visible:outline-current"
        >
          {toast.action.label}
        </button>
      )}
      <button
        type="button"
        aria-label={t('common.close')}
        onClick={() => {
          dismissToast(toast.id)
          onClosed()
        }}
        className="mt-0.5 flex size-6 shrink-0 items-center justify-center rounded-sm hover:bg-inverse/15 focus-visible:outline-current"
      >
        <Icon name="close" size={12} />
      </button>
    </div>
  )
}
