import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Configuration, Snapshot } from '#contract/console-api/shapes.ts'
import { oldestVersion, type Draft } from './draft.ts'
import type { DraftStore } from './draft-store.ts'
import { snapshotsSince } from '../endpoints.ts'
import { mergeDraft, movesAutomatically, rebase, touchesOf, type Merged } from './merge.ts'

export interface MergeState {
  /** Edits that stand on an older snapshot, each judged; empty when all stand on the one that is shown. */
  behind: readonly Merged[]
  /** What was saved since the oldest of my edits, newest first. */
  since: readonly Snapshot[]
  /** Who changed what is still being asked for. */
  isChecking: boolean
  checkFailed: boolean
}

const NO_EDITS: readonly Merged[] = []

/**
 * Keeps the draft on the newest snapshot. What was saved outside of my resources moves it by itself; anything else waits
 * for the person. While a save is under way nothing moves: it may be its own snapshot that arrives.
 */
export function useMerge({
  store,
  draft,
  configuration,
  isHeld,
  personId,
}: {
  store: DraftStore
  draft: Draft
  configuration: Configuration
  isHeld: boolean
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
  const mayMove = isBehind && !isHeld && movesAutomatically(behind, touches, typedIn)
  useEffect(() => {
    if (!mayMove) return
    // somebody is typing right now: what is moved must be what stands in the field
    if (store.current() !== draft) return store.flush()
    store.applyAutomatically(rebase(behind, () => undefined, snapshotVersion))
    const alreadySaved = behind.filter(({ verdict }) => verdict.kind === 'same').length
    const edits = behind.length - alreadySaved
    store.setNews({ version: snapshotVersion, savedBy: savedBy.name, alreadySaved, edits })
  }, [mayMove, behind, draft, store, snapshotVersion, savedBy])

  const seen = useRef(snapshotVersion)
  useEffect(() => {
    if (seen.current === snapshotVersion) return
    seen.current = snapshotVersion
    // the move tells its own news
    if (mayMove) return
    // nothing of mine is at stake: said all the same, for what is shown has changed
    if (isBehind || isHeld || savedBy.id === personId) store.setNews(null)
    else store.setNews({ version: snapshotVersion, savedBy: savedBy.name, alreadySaved: 0, edits: 0 })
  }, [snapshotVersion, mayMove, isBehind, isHeld, savedBy, personId, store])

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
