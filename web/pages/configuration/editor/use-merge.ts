import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Configuration, Snapshot } from '#contract/console-api/shapes.ts'
import { oldestVersion, type Draft } from '../draft/draft.ts'
import type { DraftStore } from '../draft/draft-store.ts'
import { snapshotsSince } from '../draft/endpoints.ts'
import { mergeDraft, movesAutomatically, rebase, touchesOf, type Merged } from '../draft/merge.ts'

export interface MergeState {
  /** Edits based on an older snapshot, with their merge results; empty if all are based on the displayed one. */
  behind: readonly Merged[]
  /** The snapshots saved since the oldest edit began, newest first. */
  since: readonly Snapshot[]
  /** The history of the changes is still loading. */
  isChecking: boolean
  checkFailed: boolean
}

const NO_EDITS: readonly Merged[] = []

/**
 * Moves the draft to the newest snapshot. Changes outside the edited resources are merged automatically; everything
 * else waits for the person. Nothing moves during a save, because the new snapshot may be the one it created.
 */
export function useMerge({
  store,
  draft,
  configuration,
  isSaving,
  personId,
}: {
  store: DraftStore
  draft: Draft
  configuration: Configuration
  isSaving: boolean
  personId: string
}): MergeState {
  const { scope, snapshotVersion, savedBy } = configuration
  const since = oldestVersion(draft) ?? snapshotVersion
  const isBehind = since < snapshotVersion
  const history = useQuery({ ...snapshotsSince(scope, since, snapshotVersion), enabled: isBehind })

  const { behind, touches } = useMemo(() => {
    const touches = history.data?.isWhole === true ? touchesOf(history.data.snapshots, since) : null
    return { behind: isBehind ? mergeDraft(draft, configuration, touches) : NO_EDITS, touches }
  }, [draft, configuration, history.data, since, isBehind])

  const typedIn = useSyncExternalStore(store.subscribe, store.typedIn)
  const mayMove = isBehind && !isSaving && movesAutomatically(behind, touches, typedIn)
  useEffect(() => {
    if (!mayMove) return
    // the person is typing: first include what the field contains
    if (store.current() !== draft) return store.flush()
    store.applyAutomatically(rebase(behind, () => undefined, snapshotVersion))
    const countOf = (kind: Merged['verdict']['kind']) =>
      behind.filter(({ verdict }) => verdict.kind === kind).length
    const alreadySaved = countOf('same')
    const edits = behind.length - alreadySaved - countOf('undone')
    store.setNews({ version: snapshotVersion, savedBy: savedBy.name, alreadySaved, edits })
  }, [mayMove, behind, draft, store, snapshotVersion, savedBy])

  const seen = useRef(snapshotVersion)
  useEffect(() => {
    if (seen.current === snapshotVersion) return
    seen.current = snapshotVersion
    // the move above sets its own notice
    if (mayMove) return
    // no edit is affected, but the displayed values have changed
    if (isBehind || isSaving || savedBy.id === personId) store.setNews(null)
    else store.setNews({ version: snapshotVersion, savedBy: savedBy.name, alreadySaved: 0, edits: 0 })
  }, [snapshotVersion, mayMove, isBehind, isSaving, savedBy, personId, store])

  const { data, isPending, isError } = history
  return useMemo(
    () => ({
      behind: mayMove ? NO_EDITS : behind,
      since: isBehind ? (data?.snapshots ?? []) : [],
      isChecking: isBehind && (isPending || mayMove),
      checkFailed: isBehind && isError,
    }),
    [behind, mayMove, isBehind, data, isPending, isError],
  )
}
