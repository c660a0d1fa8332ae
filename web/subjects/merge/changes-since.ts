import { queryOptions } from '@tanstack/react-query'
import type { Person, Snapshot } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { callApi } from '../../api/client.ts'

const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

export const HISTORY = `GET ${base}/history` as const
export const SNAPSHOT = `GET ${base}/snapshots/{snapshotVersion}` as const

const PAGE = 200
/** With more snapshots than this, the history is not fetched; all sensitive values then count as changed. */
const PAGES_MAX = 10

/** The snapshots after `since`, up to the displayed one; `isWhole` is false if there are too many. */
export const snapshotsSince = (scope: Scope, since: number, upTo: number) =>
  queryOptions({
    queryKey: [HISTORY, { params: scope, since, upTo }] as const,
    queryFn: async ({ signal }) => {
      const found: Snapshot[] = []
      let cursor: string | undefined
      for (let page = 0; page < PAGES_MAX; page++) {
        const query = {
          limit: Math.min(PAGE, Math.max(1, upTo - since)),
          ...(cursor !== undefined && { cursor }),
        }
        const { items, nextCursor } = await callApi(HISTORY, { params: scope, query }, { signal })
        found.push(...items.filter(({ snapshotVersion }) => snapshotVersion > since))
        const isDone =
          nextCursor === null || items.some(({ snapshotVersion }) => snapshotVersion <= since + 1)
        if (isDone) return { snapshots: found, isWhole: true }
        cursor = nextCursor
      }
      return { snapshots: found, isWhole: false }
    },
    // the history between two snapshots never changes
    staleTime: Infinity,
  })

/** The last snapshot that changed a property: who saved it, when and why. */
export interface Touch {
  snapshotVersion: number
  savedAt: string
  savedBy: Person
  reason: string | null
  cause: Snapshot['cause']
  operationId: string | null
}

/** The changes since a snapshot, by locator and property; null while they are unknown. */
export type Touches = ReadonlyMap<string, ReadonlyMap<string, Touch>> | null

/** Finds the last change of each property after `since`, in snapshots of any order. */
export function touchesOf(snapshots: readonly Snapshot[], since: number): Exclude<Touches, null> {
  const touches = new Map<string, Map<string, Touch>>()
  for (const { changes, ...snapshot } of snapshots) {
    if (snapshot.snapshotVersion <= since) continue
    for (const { locator, property } of changes) {
      const ofResource = touches.get(locator) ?? new Map<string, Touch>()
      touches.set(locator, ofResource)
      const known = ofResource.get(property)
      if (known === undefined || known.snapshotVersion < snapshot.snapshotVersion)
        ofResource.set(property, snapshot)
    }
  }
  return touches
}
