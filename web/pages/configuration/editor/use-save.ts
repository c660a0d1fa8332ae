import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { Configuration, Operation } from '#contract/console-api/shapes.ts'
import { ApiError } from '../../../api/client.ts'
import { invalidateEndpoints } from '../../../api/query.ts'
import { useWrite } from '../../../api/write.ts'
import { useShell } from '../../../subjects/shell/shell-context.ts'
import { allEdits, draftChanges, editAt, EMPTY, isBasedOn, applyStep, type Draft } from '../draft/draft.ts'
import { fieldId } from '../../../forms/property/property-place.ts'
import { placedError } from '../../../forms/property/translate-error.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import type { DraftStore } from '../draft/draft-store.ts'
import { CONFIGURATION, PLAN, SAVE } from '../draft/endpoints.ts'
import type { DraftForm } from '../draft/draft-form.ts'
import { isDialogOpen } from '../../../ui/use-modal.ts'
import { errorView } from '../../../i18n/describe-code.ts'

export interface SavedSnapshot {
  version: number
  operations: readonly Operation[]
}

export interface SaveState {
  /** `uncertain`: the response was lost, and the same request can be repeated. */
  state: 'idle' | 'saving' | 'uncertain'
  error: unknown
  saved: readonly SavedSnapshot[]
  save: (request: SaveRequest) => Promise<boolean>
  /** Repeats a save whose response was lost: the identical request, with the same idempotency key. */
  repeat: () => Promise<boolean>
  /** Stops repeating. The configuration shows whether it was saved. */
  giveUp: () => void
  dismissSaved: (versions: readonly number[]) => void
  clearError: () => void
}

interface SaveRequest {
  /** The edits in the plan. */
  draft: Draft
  reason: string
  /** In spite of what refuses saves now. */
  override?: true
  /** The token of the plan that was reviewed. */
  planToken: string | null
  /** Selects the resources to save. */
  only: (locator: string) => boolean
}

interface Sent {
  call: { params: Configuration['scope']; body: Parameters<Write['mutateAsync']>[0]['body'] }
  draft: Draft
}
/** A save that succeeded. Its edits stay in the draft until the page has its snapshot. */
interface Landing {
  version: number
  draft: Draft
  onLanded: () => void
}
type Write = ReturnType<typeof useWrite<typeof SAVE>>

export function useSave(store: DraftStore, form: DraftForm, configuration: Configuration): SaveState {
  const t = useText()
  const client = useQueryClient()
  const write = useWrite(SAVE, {
    invalidates: [CONFIGURATION],
  })
  const [sent, setSent] = useState<Sent | null>(null)
  const [saved, setSaved] = useState<readonly SavedSnapshot[]>([])
  const [landing, setLanding] = useState<Landing | null>(null)
  const isShown = useRef(false)
  const landingDraft = useRef<Draft | null>(null)

  const send = async (request: Sent): Promise<boolean> => {
    setSent(request)
    try {
      const { snapshotVersion, operations } = await write.mutateAsync(request.call)
      setSaved((before) => [...before, { version: snapshotVersion, operations }])
      setSent(null)
      if (!isShown.current) {
        store.drop(request.draft)
        return true
      }
      landingDraft.current = request.draft
      await new Promise<void>((resolve) =>
        setLanding({ version: snapshotVersion, draft: request.draft, onLanded: resolve }),
      )
      return true
    } catch (error) {
      if (error instanceof ApiError && error.isUncertain) return false
      setSent(null)
      if (error instanceof ApiError) showRefusal(form, store, error, t)
      void invalidateEndpoints(client, [PLAN])
      return false
    }
  }

  // in the commit that shows the new snapshot, so that no frame shows the old value again
  const isLanding = landing !== null && configuration.snapshotVersion < landing.version
  useLayoutEffect(() => {
    if (landing === null || isLanding) return
    landingDraft.current = null
    store.drop(landing.draft)
    landing.onLanded()
  }, [landing, isLanding, store])

  // a page that is left does not show the new snapshot, but its edits are saved
  useLayoutEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
      if (landingDraft.current !== null) store.drop(landingDraft.current)
      landingDraft.current = null
    }
  }, [store])

  // checks the result automatically as soon as the console is reachable again
  const isUncertain = sent !== null && !write.isPending
  const askAgain = useEffectEvent(() => {
    if (isUncertain && sent !== null) void send(sent)
  })
  const { connection } = useShell()
  const wasLost = useRef(false)
  useEffect(() => {
    if ((connection === 'live' || connection === 'polling') && wasLost.current) askAgain()
    wasLost.current = connection === 'lost'
  }, [connection])

  return {
    state: write.isPending || isLanding ? 'saving' : sent === null ? 'idle' : 'uncertain',
    error: write.error,
    saved,
    save: ({ draft: shown, reason, planToken, only, override }) => {
      const draft = partOfDraft(shown, only)
      // an edit based on an older snapshot has not been compared with this one
      if (!isBasedOn(draft, configuration.snapshotVersion)) return Promise.resolve(false)
      const body = {
        snapshotVersion: configuration.snapshotVersion,
        changes: draftChanges(draft),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
        ...(planToken !== null && { planToken }),
        ...(override && { override }),
      }
      return send({ call: { params: configuration.scope, body }, draft })
    },
    repeat: () => (sent === null ? Promise.resolve(false) : send(sent)),
    giveUp: () => {
      setSent(null)
      write.reset()
      void invalidateEndpoints(client, [CONFIGURATION])
    },
    dismissSaved: (versions) =>
      setSaved((before) => before.filter(({ version }) => !versions.includes(version))),
    clearError: () => write.reset(),
  }
}

/** The edits to send; a partial number is not a value and stays in the draft. */
export const partOfDraft = (draft: Draft, only: (locator: string) => boolean): Draft =>
  applyStep(
    EMPTY,
    allEdits(draft)
      .filter(({ locator, edit }) => only(locator) && edit.kind !== 'unfinished')
      .map(({ locator, property }) => ({
        locator,
        property,
        next: editAt(draft, locator, property) ?? null,
      })),
  )

/** Shows the server errors at their fields. */
function showRefusal(form: DraftForm, store: DraftStore, { problem }: ApiError, t: Translate): void {
  for (const detail of problem.details ?? []) {
    const { locator, property } = detail
    if (locator === undefined || property === undefined) continue
    if (editAt(store.current(), locator, property) === undefined) continue
    form.setError(`edits.${fieldId(locator, property)}`, {
      type: 'server',
      message: placedError(detail, t),
    })
  }
}

/** Ctrl/Cmd+S opens the review, whatever has the focus, instead of the browser's dialog. */
export function useSaveKey(onSave: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (
      event.key.toLowerCase() !== 's' ||
      !(event.ctrlKey || event.metaKey) ||
      event.altKey ||
      event.shiftKey
    )
      return
    event.preventDefault()
    if (!isDialogOpen()) onSave()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

/** What is said of a save whose result is not known: no response arrived, or the platform could not save now and says why. */
export function uncertainTexts(error: unknown, t: Translate): { title: string; message: string } {
  const isRefused = error instanceof ApiError && error.problem.code === 'SERVICE_UNAVAILABLE'
  if (!isRefused)
    return { title: t('configuration.uncertain.title'), message: t('configuration.uncertain.message') }
  const { message: reason } = errorView(error)
  return {
    title: t('configuration.unavailable.title'),
    message: t('configuration.unavailable.message', { reason }),
  }
}
