import { useEffect, useState } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Icon, type IconName } from './Icon.tsx'
import { PlainLink } from './Link.tsx'
import type { NoticeTone } from './Notice.tsx'
import { dismissToast, type Toast } from './toast.ts'

const STAY_MS = 7000
const GLYPH: Record<NoticeTone, IconName> = { ok: 'done', info: 'info', warn: 'warning', error: 'failed' }

/** One toast. It closes after a while, unless the pointer or the focus is on it. */
export function ToastCard({ toast, onClosed }: { toast: Toast; onClosed: () => void }) {
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
