import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

const DEBOUNCE_MS = 300

/** A document that is being edited. */
export interface DocumentSession {
  text: string
  /** All of the text is part of the edits. */
  isApplied: boolean
}

/**
 * The text of a document that becomes edits when typing pauses, and before the focus goes elsewhere. Without a session,
 * the text is generated from the edits. The caller calls `flush` before other input that leaves the focus where it is.
 */
export function useDocumentSession<Session extends DocumentSession>({
  initial = () => null,
  isOver,
  begin,
  apply,
}: {
  initial?: () => Session | null
  /** Whether the text is to be generated again, because the edits have changed in another way. */
  isOver: (session: Session) => boolean
  /** The session of the first text that is typed. */
  begin: (text: string) => Session
  /** Makes what can be read of the text part of the edits. Returns the session after that. */
  apply: (session: Session) => Session
}) {
  const [session, setSession] = useState<Session | null>(initial)
  /** That of the text in the editor, which may not be rendered yet. */
  const latest = useRef(session)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  if (session !== null && isOver(session)) setSession(null)
  // in the commit that shows the generated text
  useLayoutEffect(() => {
    if (session === null) latest.current = null
  }, [session])

  const set = (next: Session | null) => {
    latest.current = next
    setSession(next)
  }
  const stop = () => {
    clearTimeout(timer.current)
    timer.current = undefined
  }
  const flush = useEffectEvent((): Session | null => {
    const isWaiting = timer.current !== undefined
    stop()
    if (isWaiting && latest.current !== null) set(apply(latest.current))
    return latest.current
  })
  useEffect(() => {
    // what the person does next, also in another tab, is newer
    const leave = () => void flush()
    addEventListener('focusout', leave)
    return () => {
      removeEventListener('focusout', leave)
      flush()
    }
  }, [])
  return {
    session,
    /** What was typed becomes edits at once. Returns the session after that. */
    flush: () => flush(),
    reset: () => {
      stop()
      set(null)
    },
    onText: (text: string) => {
      const last = latest.current
      // rendered at once: an editor shows a text again only if that is another one than it was last given
      flushSync(() => set(last === null ? begin(text) : { ...last, text, isApplied: false }))
      stop()
      timer.current = setTimeout(() => flush(), DEBOUNCE_MS)
    },
  }
}
