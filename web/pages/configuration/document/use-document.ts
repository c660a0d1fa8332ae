import { useEffect, useEffectEvent, useMemo } from 'react'
import type { Configuration } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { isReplacingPage } from '../../../api/session.ts'
import { DOCUMENT_LIMITS, parseJson, readJson, type JsonError } from '../../../forms/json/parse-json.ts'
import { allEdits, type Draft } from '../draft/draft.ts'
import type { DraftStore } from '../draft/draft-store.ts'
import { documentOf, readDocument, type DocumentReading } from '../../../subjects/document/document.ts'
import { useDocumentSession, type DocumentSession } from '../../../subjects/document/use-document-session.ts'
import { expressible, stepTo } from './document.ts'

interface Session extends DocumentSession {
  /** The configuration that the text was generated from. */
  from: Configuration
  /** The document and the draft that last agreed with each other. */
  agreed: { document: JsonValue; draft: Draft }
  /** How often all edits had been discarded when it began. */
  timesCleared: number
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
 * The whole configuration as a text that becomes edits when typing pauses, and before the person does anything else with
 * the draft. The text is compared with the snapshot that it was generated from. It is generated again as soon as the draft
 * or the snapshot changes in another way, unless some of it cannot become an edit: then it stays, to be fixed.
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
  // discarding all edits discards the text too
  const isDiscarded = (one: Session) => store.timesCleared() !== one.timesCleared
  const { session, flush, reset, onText } = useDocumentSession<Session>({
    initial: () => unfinished.get(store) ?? null,
    isOver: (one) => {
      const hasMoved =
        draft !== one.agreed.draft || configuration.snapshotVersion !== one.from.snapshotVersion
      return isDiscarded(one) || (one.isApplied && hasMoved)
    },
    begin: (text) => ({
      text,
      isApplied: false,
      from: configuration,
      agreed: { document: documentOf(configuration, draft), draft },
      timesCleared: store.timesCleared(),
    }),
    apply: (written) => {
      const document = parseJson(written.text, DOCUMENT_LIMITS)
      if (document === undefined || isDiscarded(written)) return written
      const { agreed } = written
      const next = readDocument(document, written.from)
      const after = expressible(next, { before: agreed.document, document })
      const isOnlyChange = store.current() === agreed.draft
      store.apply(
        stepTo(next.wanted, {
          configuration: written.from,
          newest: configuration,
          draft: store.current(),
          before: agreed.document,
          after,
        }),
        'document',
      )
      store.flush()
      return {
        ...written,
        // after a change elsewhere the text is not the whole draft, and is generated again once it has no errors
        agreed: { document: after, draft: isOnlyChange ? store.current() : agreed.draft },
        isApplied: !hasFaults(next),
      }
    },
  })
  const from = session?.from ?? configuration

  const parsed = useMemo(() => (session === null ? null : readJson(session.text, DOCUMENT_LIMITS)), [session])
  const broken = parsed?.error ?? null
  const reading = useMemo(
    () => (parsed?.value === undefined || session === null ? null : readDocument(parsed.value, session.from)),
    [parsed, session],
  )

  /** The session, if some of its text cannot become an edit. */
  const leftOver = useEffectEvent((): Session | null => {
    const last = flush()
    return last === null || last.isApplied || isDiscarded(last) ? null : last
  })
  const beforeInput = useEffectEvent(() => void flush())
  useEffect(() => {
    const stop = store.beforeInput(() => beforeInput())
    return () => {
      const left = leftOver()
      if (left === null) unfinished.delete(store)
      else unfinished.set(store, left)
      stop()
    }
  }, [store])
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (leftOver() !== null && !isReplacingPage()) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [])

  const generated = useMemo(
    () => (isShown && session === null ? JSON.stringify(documentOf(configuration, draft), null, 2) : ''),
    [isShown, session, configuration, draft],
  )
  return {
    text: session?.text ?? generated,
    from,
    reading,
    broken,
    isBlocked: broken !== null || (reading !== null && hasFaults(reading)),
    edited: [...new Set(allEdits(draft).map(({ locator }) => locator))],
    onText,
    reset,
  }
}

/** Whether some of the text is only in the text. Errors in values are in the draft too. */
const hasFaults = ({ problems }: DocumentReading): boolean => problems.some(({ kind }) => kind !== 'value')
