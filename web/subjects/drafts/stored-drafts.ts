import { useMemo, useSyncExternalStore } from 'react'
import { installSearch, type InstallSearch } from '#contract/console-api/pages/installations.ts'
import type { ScopeKey } from '../../addresses/paths.ts'
import { parseScope } from '../scopes/scope-text.ts'

/** The unsaved changes of a person in one scope, as this browser stores them. */
export interface StoredDraft {
  scope: ScopeKey
  /** The change request that they are an edit of; null for the person's own changes of the scope. */
  change: string | null
  edits: number
  /** When the oldest edit began, in milliseconds since 1970; null if unknown. */
  since: number | null
}

/**
 * Each edit is an item of the browser's storage: `PREFIX/person/scope`, `/request` if it is an edit of a change request, and,
 * after a space, its place.
 */
export const DRAFT_PREFIX = 'bundle-console.draft'
/** When the draft began: `PREFIX/person/scope`, and `/request`. */
export const BEGAN_PREFIX = 'bundle-console.draft-began'
/** What the change request asked for of which this is the draft: `PREFIX/person/scope/request`. */
export const ASKED_PREFIX = 'bundle-console.draft-asked'

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
      const parts = place.split('/')
      const scope = parseScope(parts.slice(0, 3).join('/'))
      const change = parts[3] === undefined ? null : decodeURIComponent(parts[3])
      const began = Number(items[`${BEGAN_PREFIX}/${encodeURIComponent(personId)}/${place}`])
      if (scope === null) return []
      const since = Number.isFinite(began) ? began : null
      return [{ scope, change, edits, since }]
    })
    .toSorted((one, other) => (one.since ?? 0) - (other.since ?? 0))
}

/** Whether a stored edit counts as one: of a sensitive edit only the name is stored. */
export const isCounted = (text: string | null): boolean => text !== null && !text.includes('"withheld":true')

/** The drafts of a person in this browser, kept up to date. */
export function useStoredDrafts(personId: string | undefined): readonly StoredDraft[] {
  const text = useSyncExternalStore(subscribe, () => read(personId, draftsIn))
  // written by `read`
  return useMemo(() => JSON.parse(text) as StoredDraft[], [text])
}

/** Where a form of an install or an upgrade is opened again. */
export type OperationDraftPlace =
  | { kind: 'INSTALL'; search: InstallSearch }
  | { kind: 'UPGRADE'; bundleInstallId: string; version: string }

/** The input of an install or upgrade that was not started, as this browser stores it. */
export interface StoredOperationDraft {
  place: OperationDraftPlace
  /** Of the bundle. */
  title: string
  edits: number
  /** When it began, in milliseconds since 1970. */
  since: number
}

/** Each form is one item of the browser's storage: `PREFIX/person/form`. */
const OPERATION_DRAFT_PREFIX = 'bundle-console.operation-draft'
export const operationDraftKey = (personId: string, form: string): string =>
  `${OPERATION_DRAFT_PREFIX}/${encodeURIComponent(personId)}/${form}`

/** The drafts of operations in a storage, oldest first. */
export function operationDraftsIn(
  items: Readonly<Record<string, string>>,
  personId: string,
): StoredOperationDraft[] {
  const start = operationDraftKey(personId, '')
  return Object.entries(items)
    .flatMap(([key, text]) => {
      const draft = key.startsWith(start) ? readDraft(text) : null
      return draft === null ? [] : [draft]
    })
    .toSorted((one, other) => one.since - other.since)
}

/** Null for what this version does not understand. */
function readDraft(text: string): StoredOperationDraft | null {
  try {
    const { place, title, edits, since } = JSON.parse(text) as {
      place: Record<string, unknown> & { search?: Record<string, unknown> }
      title: unknown
      edits: Record<string, unknown>
      since: unknown
    }
    if (typeof title !== 'string' || typeof since !== 'number') return null
    const common = { title, since, edits: Object.keys(edits).length }
    if (place['kind'] === 'INSTALL')
      return { ...common, place: { kind: 'INSTALL', search: installSearch(place.search ?? {}) } }
    const { bundleInstallId, version } = place
    return typeof bundleInstallId === 'string' && typeof version === 'string'
      ? { ...common, place: { kind: 'UPGRADE', bundleInstallId, version } }
      : null
  } catch {
    return null
  }
}

/** The drafts of operations of a person in this browser, kept up to date. */
export function useStoredOperationDrafts(personId: string | undefined): readonly StoredOperationDraft[] {
  const text = useSyncExternalStore(subscribe, () => read(personId, operationDraftsIn))
  // written by `read`
  return useMemo(() => JSON.parse(text) as StoredOperationDraft[], [text])
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener)
  addEventListener(CHANGED, listener)
  return () => {
    removeEventListener('storage', listener)
    removeEventListener(CHANGED, listener)
  }
}

function read(
  personId: string | undefined,
  find: (items: Readonly<Record<string, string>>, personId: string) => unknown,
): string {
  if (personId === undefined) return '[]'
  try {
    return JSON.stringify(find({ ...localStorage }, personId))
  } catch {
    // a browser without storage keeps no drafts
    return '[]'
  }
}
