import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import type { Scope } from '#contract/protocol/scope.ts'
import { isBrowser } from '../../../base/environment.ts'
import {
  announceDraftChange,
  ASKED_PREFIX,
  BEGAN_PREFIX,
  DRAFT_PREFIX,
  isCounted,
} from '../../../subjects/drafts/stored-drafts.ts'
import { isReplacingPage } from '../../../api/session.ts'
import type { Draft } from './draft.ts'
import type { ActiveField } from './active-fields.ts'
import { DraftStore, type DraftStorage } from './draft-store.ts'

/** The drafts of this page load, so that the person can leave the page and come back, sensitive edits included. */
const stores = new Map<string, DraftStore>()
let owner = ''

/**
 * The draft of a person in a scope. Drafts of another person are removed from memory.
 *
 * @param change The change request that is edited. Its draft is one of its own: what others asked for is not the person's
 * unsaved change of the scope, nor the other way round.
 */
export function useDraftStore(personId: string, scope: Scope, change: string | undefined): DraftStore {
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  const person = encodeURIComponent(personId)
  const of = change === undefined ? '' : `/${encodeURIComponent(change)}`
  const place = `${person}/${environmentKey}/${applicationRuntimeId}/${workspaceId}${of}`
  return useMemo(() => storeOf(personId, place), [personId, place])
}

/** The draft as of the last pause in typing. */
export function useDraft(store: DraftStore): Draft {
  return useSyncExternalStore(store.subscribe, store.debouncedDraft)
}

/** The state of this field while it has the focus. */
export function useActive(store: DraftStore, locator: string, property: string): ActiveField | undefined {
  const watch = useCallback(
    (listener: () => void) => store.watch(locator, property, listener),
    [store, locator, property],
  )
  return useSyncExternalStore(watch, () => store.activeAt(locator, property))
}

export function useNotKept(store: DraftStore) {
  return useSyncExternalStore(store.subscribe, store.notKept)
}

function storeOf(personId: string, place: string): DraftStore {
  const key = `${DRAFT_PREFIX}/${place} `
  if (owner !== personId) {
    stores.clear()
    owner = personId
  }
  const known = stores.get(key)
  if (known !== undefined) return known
  const store = new DraftStore(
    storageOf(key, { began: `${BEGAN_PREFIX}/${place}`, asked: `${ASKED_PREFIX}/${place}` }),
  )
  stores.set(key, store)
  return store
}

/**
 * Each edit is an item of the browser's storage whose key starts with this prefix.
 *
 * @param about The items with the time of the first edit, and with what the edited change request asked for.
 */
function storageOf(prefix: string, { began, asked }: { began: string; asked: string }): DraftStorage {
  const attempt = <Result>(fn: () => Result, otherwise: Result): Result => {
    try {
      return fn()
    } catch {
      // without storage, or when it is full, the edits exist only in memory
      return otherwise
    }
  }
  return {
    names: () =>
      attempt(
        () =>
          Object.keys(localStorage)
            .filter((key) => key.startsWith(prefix))
            .map((key) => key.slice(prefix.length)),
        [],
      ),
    read: (name) => attempt(() => localStorage.getItem(prefix + name), null),
    write: (name, text) =>
      attempt(() => {
        const before = localStorage.getItem(prefix + name)
        if (text === null) localStorage.removeItem(prefix + name)
        else localStorage.setItem(prefix + name, text)
        // most key presses change an edit that is counted already
        if (isCounted(before) === isCounted(text) && before !== null && text !== null) return true
        if (text !== null) localStorage.setItem(began, localStorage.getItem(began) ?? String(Date.now()))
        else if (!Object.keys(localStorage).some((key) => key.startsWith(prefix)))
          for (const about of [began, asked]) localStorage.removeItem(about)
        announceDraftChange()
        return true
      }, text === null),
    readAsked: () => attempt(() => localStorage.getItem(asked), null),
    writeAsked: (text) =>
      attempt(() => {
        if (localStorage.getItem(began) !== null) localStorage.setItem(asked, text)
      }, undefined),
  }
}

function followStorage({ key }: StorageEvent): void {
  // rendered before the next key press, which must be based on what the other tab wrote
  for (const [prefix, store] of stores) {
    // clearing the storage does not discard edits
    if (key === null) store.storeAll()
    else if (key.startsWith(prefix)) flushSync(() => store.syncFromStorage(key.slice(prefix.length)))
  }
}

function askBeforeUnload(event: BeforeUnloadEvent): void {
  if (isReplacingPage()) return
  // stored edits need no warning; edits that exist only in this page would be lost
  if ([...stores.values()].some((store) => store.hasSensitive() || !store.isStored())) event.preventDefault()
}

if (isBrowser) {
  addEventListener('storage', followStorage)
  addEventListener('beforeunload', askBeforeUnload)
}
