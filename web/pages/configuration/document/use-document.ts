import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { Configuration } from '#contract/console-api/shapes.ts'
import { parseJson } from '../../../forms/fields/parse-json.ts'
import { allEdits, countEdits, type Draft, type PropertyPlace } from '../editor/draft.ts'
import type { DraftStore } from '../editor/draft-store.ts'
import { documentOf, readDocument, stepTo, type DocumentReading } from './document.ts'

const DEBOUNCE_MS = 300

/** A document that is being edited, with the configuration that it was generated from. */
interface Session {
  text: string
  from: Configuration
}

/** Documents that were closed with text that is not part of any edit; restored when the person returns to the page. */
const unfinished = new WeakMap<DraftStore, Session>()

export interface DocumentState {
  text: string
  /** The configuration that the text is compared with. */
  from: Configuration
  reading: DocumentReading | null
  /** The text is not valid JSON: what was typed since it was valid is not part of any edit. */
  isBroken: boolean
  /** The locators of the resources with unsaved edits. */
  edited: readonly string[]
  onText: (text: string) => void
  /** Generates the document again from the saved values and the edits. */
  reset: () => void
}

/**
 * The whole configuration as a text that becomes edits when typing pauses. The text is compared with the snapshot that
 * it was generated from. It is generated again as soon as the draft or the snapshot changes in another way.
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
  const [appliedDraft, setAppliedDraft] = useState<Draft | null>(null)
  const ours = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const pending = useRef<Session | null>(null)
  const from = session?.from ?? configuration

  const parsed = useMemo(() => (session === null ? undefined : parseJson(session.text)), [session])
  const reading = useMemo(
    () => (parsed === undefined || session === null ? null : readDocument(parsed, session.from)),
    [parsed, session],
  )
  const isSettled = session !== null && parsed !== undefined && appliedDraft !== null
  const hasMoved = draft !== appliedDraft || configuration.snapshotVersion !== from.snapshotVersion
  // discarding the edits discards the text too; otherwise, text that cannot be saved stays, to be fixed
  const isDiscarded = isSettled && draft !== appliedDraft && countEdits(draft) === 0
  if (isDiscarded || (isSettled && hasMoved && (reading?.problems.length ?? 0) === 0)) setSession(null)

  const applyText = useEffectEvent((text: string, written: Configuration) => {
    const value = parseJson(text)
    if (value === undefined) return
    const { wanted } = readDocument(value, written)
    const isOurs = (place: PropertyPlace) => ours.current.has(keyOf(place))
    store.apply(stepTo(wanted, { configuration: written, draft: store.current(), isOurs }))
    store.flush()
    for (const place of allEdits(store.current())) {
      if (wanted.get(place.locator)?.has(place.property) === true) ours.current.add(keyOf(place))
    }
    setAppliedDraft(store.current())
  })
  const flush = useEffectEvent(() => {
    clearTimeout(timer.current)
    const last = pending.current
    pending.current = null
    if (last !== null) applyText(last.text, last.from)
  })
  const isUnfinished =
    session !== null &&
    (parsed === undefined || (reading?.problems ?? []).some(({ kind }) => kind !== 'value'))
  const leave = useEffectEvent(() => {
    flush()
    if (isUnfinished) unfinished.set(store, session)
    else unfinished.delete(store)
  })
  useEffect(() => () => leave(), [])
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      flush()
      if (isUnfinished) event.preventDefault()
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
    isBroken: session !== null && parsed === undefined,
    edited: [...new Set(allEdits(draft).map(({ locator }) => locator))],
    reset: () => {
      clearTimeout(timer.current)
      pending.current = null
      setSession(null)
    },
    onText: (text) => {
      if (text === (session?.text ?? generated)) return
      if (session === null) ours.current = new Set(allEdits(draft).map(keyOf))
      setSession({ text, from })
      setAppliedDraft(null)
      clearTimeout(timer.current)
      pending.current = { text, from }
      timer.current = setTimeout(flush, DEBOUNCE_MS)
    },
  }
}

const keyOf = ({ locator, property }: PropertyPlace): string => `${locator} ${property}`
