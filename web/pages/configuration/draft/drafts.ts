import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Scope } from '#contract/protocol/scope.ts'
import { isReloadingForAnotherPerson } from '../../../api/session.ts'
import type { Draft, DraftEdit } from './draft.ts'
import { DraftStore, type ActiveField, type Keeper } from './draft-store.ts'

const PREFIX = 'bundle-console.draft'

/** The drafts of this document, so that a page can be left and come back to, sensitive edits included. */
const stores = new Map<string, DraftStore>()
let owner = ''

/** The draft of a person in a scope. Another person's drafts leave the memory. */
export function useDraftStore(personId: string, scope: Scope): DraftStore {
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  const key = `${PREFIX}/${personId}/${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  return useMemo(() => storeOf(personId, key), [personId, key])
}

/** The draft as it stands when the typing rests. */
export function useDraft(store: DraftStore): Draft {
  return useSyncExternalStore(store.subscribe, store.settled)
}

/** Renders only when this very edit changes. */
export function useEdit(store: DraftStore, locator: string, property: string): DraftEdit | undefined {
  const watch = useWatch(store, locator, property)
  return useSyncExternalStore(watch, () => store.edit(locator, property))
}

/** This field while it has the focus. */
export function useActive(store: DraftStore, locator: string, property: string): ActiveField | undefined {
  const watch = useWatch(store, locator, property)
  return useSyncExternalStore(watch, () => store.activeAt(locator, property))
}

/** What the server said of this edit. */
export function useRemark(store: DraftStore, locator: string, property: string): string | undefined {
  const watch = useWatch(store, locator, property)
  return useSyncExternalStore(watch, () => store.remark(locator, property)?.message)
}

function useWatch(store: DraftStore, locator: string, property: string) {
  return useCallback(
    (listener: () => void) => store.watch(locator, property, listener),
    [store, locator, property],
  )
}

export function useNotKept(store: DraftStore) {
  return useSyncExternalStore(store.subscribe, store.notKept)
}

function storeOf(personId: string, key: string): DraftStore {
  if (owner !== personId) {
    stores.clear()
    owner = personId
  }
  const known = stores.get(key)
  if (known !== undefined) return known
  const store = new DraftStore(keeperOf(key))
  stores.set(key, store)
  return store
}

function keeperOf(key: string): Keeper {
  return {
    read: () => {
      try {
        return localStorage.getItem(key)
      } catch {
        return null
      }
    },
    write: (text) => {
      try {
        if (text === null) localStorage.removeItem(key)
        else localStorage.setItem(key, text)
      } catch {
        // a browser without storage, or a full one: the edits are in memory only
      }
    },
  }
}

addEventListener('storage', (event) => {
  // a storage that was cleared as a whole takes nobody's edits: they are written again with the next one
  for (const [key, store] of stores) if (event.key === key) store.takeOver()
})
// the last moment at which a page that is left can still be written
addEventListener('pagehide', () => {
  for (const store of stores.values()) store.keep()
})
addEventListener('beforeunload', (event) => {
  for (const store of stores.values()) store.keep()
  if (isReloadingForAnotherPerson()) return
  // what is kept needs no question; what is sensitive would be gone
  if ([...stores.values()].some((store) => store.hasSensitive())) event.preventDefault()
})
