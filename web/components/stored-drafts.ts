import { useMemo, useSyncExternalStore } from 'react'
import type { ScopeKey } from '../paths.ts'
import { parseScope } from './scope-text.ts'

/** The unsaved changes of a person in one scope, as this browser stores them. */
export interface StoredDraft {
  scope: ScopeKey
  edits: number
  /** When the oldest edit began, in milliseconds since 1970; null if unknown. */
  since: number | null
}

/** Each edit is an item of the browser's storage: `PREFIX/person/scope` and, after a space, its place. */
export const DRAFT_PREFIX = 'bundle-console.draft'
/** When the draft of a scope began: `PREFIX/person/scope`. */
export const BEGAN_PREFIX = 'bundle-console.draft-began'

/** Dispatched in the tab that has changed a draft; other tabs get the browser's own event. */
const CHANGED = 'bundle-console.draft-changed'
export const announceDraftChange = (): boolean => dispatchEvent(new Event(CHANGED))

/** The drafts in a storage, oldest first. A sensitive edit is in the memory of its page only, and is not counted. */
export function draftsIn(items: Readonly<Record<string, string>>, personId: string): StoredDraft[] {
  const start = `${DRAFT_PREFIX}/${encodeURIComponent(personId)}/`
  const counts = new Map<string, number>()
  for (const [key, text] of Object.entries(items)) {
    const place = key.startsWith(start) ? key.slice(start.length).split(' ')[0] : undefined
    if (place !== undefined && isCounted(text)) counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  return [...counts]
    .flatMap(([place, edits]) => {
      const scope = parseScope(place)
      const began = Number(items[`${BEGAN_PREFIX}/${encodeURIComponent(personId)}/${place}`])
      return scope === null ? [] : [{ scope, edits, since: Number.isFinite(began) ? began : null }]
    })
    .toSorted((one, other) => (one.since ?? 0) - (other.since ?? 0))
}

/** Whether a stored edit counts as one: of a sensitive edit only the name is stored. */
export const isCounted = (text: string | null): boolean => text !== null && !text.includes('"withheld":true')

/** The drafts of a person in this browser, kept up to date. */
export function useStoredDrafts(personId: string | undefined): readonly StoredDraft[] {
  const text = useSyncExternalStore(subscribe, () => read(personId))
  // written by `read`
  return useMemo(() => JSON.parse(text) as StoredDraft[], [text])
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener)
  addEventListener(CHANGED, listener)
  return () => {
    removeEventListener('storage', listener)
    removeEventListener(CHANGED, listener)
  }
}

function read(personId: string | undefined): string {
  if (personId === undefined) return '[]'
  try {
    return JSON.stringify(draftsIn({ ...localStorage }, personId))
  } catch {
    // a browser without storage keeps no drafts
    return '[]'
  }
}
