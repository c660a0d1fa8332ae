import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { Configuration } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { isReplacingPage } from '../../../api/session.ts'
import { DOCUMENT_LIMITS, parseJson, readJson, type JsonError } from '../../../forms/json/parse-json.ts'
import { allEdits, editAt, type Draft } from '../draft/draft.ts'
import type { DraftStore } from '../draft/draft-store.ts'
import { documentOf, readDocument, type DocumentReading } from '../../../subjects/document/document.ts'
import { expressible, stepTo } from './document.ts'

const DEBOUNCE_MS = 300

/** A document that is being edited. */
interface Session {
  text: string
  /** The configuration that it was generated from. */
  from: Configuration
  /** The document and the draft that last agreed with each other. */
  agreed: { document: JsonValue; draft: Draft }
  /** What can be read of the text is part of the draft. */
  isApplied: boolean
  /** How often all edits had been discarded when it began. */
  timesCleared: number
  /** The draft at the last key. An edit made elsewhere since then is newer than the text. */
  typedOn: Draft
}

/** Documents that were closed with text that is not part of any edit; restored when the person returns to the page. */
const unfinished = new WeakMap<DraftStore, Session>()

export interface DocumentState {
  text: string
  /** The configuration that the text is compared with. */
  from: Configuration
  reading: DocumentReading | null
  /** Why the text is not valid JSON: what was typed since it was valid is not part of any edit. */
  broken: JsonError | null
  /** Some of the text is not part of any edit. */
  isBlocked: boolean
  /** The locators of the resources with unsaved edits. */
  edited: readonly string[]
  onText: (text: string) => void
  /** Generates the document again from the saved values and the edits. */
  reset: () => void
}

/**
 * The whole configuration as a text that becomes edits when typing pauses. The text is compared with the snapshot that
 * it was generated from. It is generated again as soon as the draft or the snapshot changes in another way, unless
 * some of it cannot become an edit: then it stays, to be fixed.
 */
export function useDocument({
  store,
  draft,
  configuration,
  isShown,
}: {
  store: DraftStore
  draft: Draft
  configuration: Configuration
  isShown: boolean
}): DocumentState {
  const [session, setSession] = useState<Session | null>(() => unfinished.get(store) ?? null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const pending = useRef<Session | null>(null)
  const from = session?.from ?? configuration

  const parsed = useMemo(() => (session === null ? null : readJson(session.text, DOCUMENT_LIMITS)), [session])
  const broken = parsed?.error ?? null
  const reading = useMemo(
    () => (parsed?.value === undefined || session === null ? null : readDocument(parsed.value, session.from)),
    [parsed, session],
  )
  // errors in values are in the draft too; other errors exist only in the text
  const hasFaults = reading?.problems.some(({ kind }) => kind !== 'value') === true
  if (session !== null) {
    const hasMoved =
      draft !== session.agreed.draft || configuration.snapshotVersion !== session.from.snapshotVersion
    // discarding all edits discards the text too
    const isDiscarded = store.timesCleared() !== session.timesCleared
    if (isDiscarded || (session.isApplied && hasMoved && !hasFaults)) setSession(null)
  }

  const apply = useEffectEvent((written: Session) => {
    const document = parseJson(written.text, DOCUMENT_LIMITS)
    if (document === undefined || store.timesCleared() !== written.timesCleared) return
    const { agreed } = written
    const next = readDocument(document, written.from)
    const after = expressible(next, { before: agreed.document, document })
    const hasMoved = store.current() !== agreed.draft
    const step = stepTo(next.wanted, {
      configuration: written.from,
      newest: configuration,
      draft: store.current(),
      before: agreed.document,
      after,
    })
    store.apply(
      step.filter(({ locator, property }) => {
        const now = store.edit(locator, property)?.edit
        return now === undefined || now === editAt(written.typedOn, locator, property)?.edit
      }),
      'document',
    )
    store.flush()
    // after a change elsewhere the text is not the whole draft, and is generated again once it has no errors
    const now = { document: after, draft: hasMoved ? agreed.draft : store.current() }
    setSession((current) =>
      current?.text === written.text ? { ...current, agreed: now, isApplied: true } : current,
    )
  })
  const flush = useEffectEvent(() => {
    clearTimeout(timer.current)
    const last = pending.current
    pending.current = null
    if (last !== null) apply(last)
  })
  const isUnfinished = session !== null && (broken !== null || hasFaults)
  const leave = useEffectEvent(() => {
    flush()
    if (isUnfinished) unfinished.set(store, session)
    else unfinished.delete(store)
  })
  useEffect(() => () => leave(), [])
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      flush()
      if (isUnfinished && !isReplacingPage()) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnfinished])

  const generated = useMemo(
    () => (isShown && session === null ? JSON.stringify(documentOf(configuration, draft), null, 2) : ''),
    [isShown, session, configuration, draft],
  )
  return {
    text: session?.text ?? generated,
    from,
    reading,
    broken,
    isBlocked: isUnfinished,
    edited: [...new Set(allEdits(draft).map(({ locator }) => locator))],
    reset: () => {
      clearTimeout(timer.current)
      pending.current = null
      setSession(null)
    },
    onText: (text) => {
      if (text === (session?.text ?? generated)) return
      const next: Session = {
        from,
        agreed: session?.agreed ?? { document: documentOf(configuration, draft), draft },
        timesCleared: session?.timesCleared ?? store.timesCleared(),
        text,
        typedOn: store.current(),
        isApplied: false,
      }
      setSession(next)
      clearTimeout(timer.current)
      pending.current = next
      timer.current = setTimeout(flush, DEBOUNCE_MS)
    },
  }
}
