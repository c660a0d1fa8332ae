import { appendFileSync, existsSync, readFileSync } from 'node:fs'

export interface Tenant {
  id: string
  bundleInstallId: string
  bundleId: string
  locator: string
  displayName: string
  seats: number
  version: string
  accessToken: string
}

/** A remembered call. */
export interface Remembered {
  hash: string
  answer: string
  bundleInstallId: string
  sequence: number
}

export interface StoredState {
  /** By the key of the call. */
  calls: Record<string, Remembered>
  marks: Record<string, { sequence: number; operationId: string; isDetached: boolean }>
  tenants: Record<string, Tenant>
}

/** Everything that the reference plugin knows. */
export interface ReferenceStore {
  state: StoredState
  save(): void
}

/** By table and key, an entry that was set, or null for one that was deleted. */
type Changes = { [Table in keyof StoredState]: Record<string, StoredState[Table][string] | null> }

/**
 * Null as the file: memory only. The file has one line for each save, with what has changed since the one before. It is
 * written at once, so a killed process leaves all of it or nothing, and takes as long at the end of a run as at its
 * beginning.
 */
export function openReferenceStore(file: string | null): ReferenceStore {
  const state = file === null ? empty() : load(file)
  const saved = structuredClone(state)
  return {
    state,
    save() {
      if (file === null) return
      const changes = {
        calls: takeChanges(state.calls, saved.calls),
        marks: takeChanges(state.marks, saved.marks),
        tenants: takeChanges(state.tenants, saved.tenants),
      } satisfies Changes
      appendFileSync(file, `${JSON.stringify(changes)}\n`)
    },
  }
}

const empty = (): StoredState => ({ calls: {}, marks: {}, tenants: {} })

/** What differs, entry by entry. Afterwards `saved` is equal to `current`. */
function takeChanges<Entry extends object>(
  current: Record<string, Entry>,
  saved: Record<string, Entry>,
): Record<string, Entry | null> {
  const changes: Record<string, Entry | null> = {}
  for (const key in saved) if (!(key in current)) changes[key] = null
  for (const key in current) {
    const [entry, before] = [current[key], saved[key]]
    // a defect may change an entry in place
    if (entry !== undefined && (before === undefined || !isEqual(entry, before))) changes[key] = entry
  }
  apply(changes, saved)
  return changes
}

/** Of entries that contain only texts, numbers and booleans. */
function isEqual<Entry extends object>(one: Entry, other: Entry): boolean {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}

function apply<Entry extends object>(
  changes: Record<string, Entry | null>,
  entries: Record<string, Entry>,
): void {
  for (const [key, entry] of Object.entries(changes))
    if (entry === null) delete entries[key]
    else entries[key] = { ...entry }
}

function load(file: string): StoredState {
  const state = empty()
  if (!existsSync(file)) return state
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    // written by `save`
    const changes = JSON.parse(line) as Changes
    apply(changes.calls, state.calls)
    apply(changes.marks, state.marks)
    apply(changes.tenants, state.tenants)
  }
  return state
}
