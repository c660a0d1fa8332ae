import { readFileSync, renameSync, writeFileSync } from 'node:fs'

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

/** Everything that the reference plugin knows, written to a file as a whole: a change is in it completely or not at all. */
export interface ReferenceStore {
  state: StoredState
  save(): void
}

/** Null as the file: memory only. */
export function openReferenceStore(file: string | null): ReferenceStore {
  const state = load(file)
  return {
    state,
    save() {
      if (file === null) return
      writeFileSync(`${file}.new`, JSON.stringify(state))
      renameSync(`${file}.new`, file)
    },
  }
}

function load(file: string | null): StoredState {
  try {
    // written by `save`
    if (file !== null) return JSON.parse(readFileSync(file, 'utf8')) as StoredState
  } catch {
    // the first start
  }
  return { calls: {}, marks: {}, tenants: {} }
}
