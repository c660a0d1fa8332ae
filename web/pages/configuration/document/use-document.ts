import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { Configuration } from '#contract/console-api/shapes.ts'
import { parseJson } from '../../../forms/fields/parse-json.ts'
import { allEdits, countEdits, EMPTY, type Draft, type PropertyPlace } from '../editor/draft.ts'
import type { DraftStore } from '../editor/draft-store.ts'
import {
  documentOf,
  isExpressible,
  isOutside,
  readDocument,
  stepTo,
  type DocumentReading,
} from './document.ts'

const DEBOUNCE_MS = 300

/** What is shown as JSON: the whole configuration, or one resource of it. */
export type ShownDocument = { kind: 'nothing' } | { kind: 'all' } | { kind: 'resource'; locator: string }

/** A document that is being edited, with the configuration that it was generated from. */
interface Session {
  text: string
  from: Configuration
  /** The locator of the only resource that the document was generated for; undefined for all. */
  only: string | undefined
}

/** Documents that were closed with text that is not part of any edit; restored when the person returns to the page. */
const unfinished = new WeakMap<DraftStore, Session>()

export interface DocumentState {
  text: string
  /** The configuration that the text is compared with. */
  from: Configuration
  reading: DocumentReading | null
  /** Locators that were removed from the text: these resources stay unchanged. */
  omitted: readonly string[]
  /** The text is not valid JSON: what was typed since it was valid is not part of any edit. */
  isBroken: boolean
  /** The locators of the resources with unsaved edits. */
  edited: readonly string[]
  onText: (text: string) => void
  /** Generates the document again from the saved values and the edits. */
  reset: () => void
}

/**
 * The shown part of the configuration as a text that becomes edits when typing pauses. The text is compared with the
 * snapshot that it was generated from. It is generated again as soon as the draft or the snapshot changes in another
 * way, or another part is shown; text that is not part of any edit stays until it is fixed or discarded.
 */
export function useDocument({
  store,
  draft,
  configuration,
  shown,
}: {
  store: DraftStore
  draft: Draft
  configuration: Configuration
  shown: ShownDocument
}): DocumentState {
  const [session, setSession] = useState<Session | null>(() => unfinished.get(store) ?? null)
  const [appliedDraft, setAppliedDraft] = useState<Draft | null>(null)
  const ours = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const pending = useRef<Session | null>(null)
  const from = session?.from ?? configuration
  const only = shown.kind === 'resource' ? shown.locator : undefined

  const parsed = useMemo(() => (session === null ? undefined : parseJson(session.text)), [session])
  const reading = useMemo(
    () => (parsed === undefined || session === null ? null : readDocument(parsed, session.from)),
    [parsed, session],
  )
  const isSettled = session !== null && parsed !== undefined && appliedDraft !== null
  const hasMoved =
    draft !== appliedDraft ||
    configuration.snapshotVersion !== from.snapshotVersion ||
    (shown.kind !== 'nothing' && session?.only !== only)
  const isUnfinished =
    session !== null && (parsed === undefined || reading?.problems.some(isOutside) === true)
  // discarding the edits discards the text too; otherwise, text that is not part of any edit stays, to be fixed
  const isDiscarded = isSettled && draft !== appliedDraft && countEdits(draft) === 0
  if (isDiscarded || (isSettled && hasMoved && !isUnfinished)) setSession(null)

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
    const applied = store.current()
    // an edit made in the form while the text was invalid: the text is generated again, with it
    const lacksEdit = allEdits(applied).some(
      (place) => wanted.get(place.locator)?.has(place.property) === false && isExpressible(place),
    )
    setAppliedDraft(lacksEdit ? EMPTY : applied)
  })
  const flush = useEffectEvent(() => {
    clearTimeout(timer.current)
    const last = pending.current
    pending.current = null
    if (last !== null) applyText(last.text, last.from)
  })
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
    () =>
      shown.kind === 'nothing' || session !== null
        ? ''
        : JSON.stringify(documentOf(configuration, draft, only), null, 2),
    [shown.kind, only, session, configuration, draft],
  )
  return {
    text: session?.text ?? generated,
    from,
    reading,
    omitted: (reading?.omitted ?? []).filter(
      (locator) => session?.only === undefined || session.only === locator,
    ),
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
      const next: Session = { text, from, only: session === null ? only : session.only }
      setSession(next)
      setAppliedDraft(null)
      clearTimeout(timer.current)
      pending.current = next
      timer.current = setTimeout(flush, DEBOUNCE_MS)
    },
  }
}

const keyOf = ({ locator, property }: PropertyPlace): string => `${locator} ${property}`
