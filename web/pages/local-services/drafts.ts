import type { LocalService } from '#contract/console-api/shapes.ts'
import { deepEqual, type JsonObject } from '#contract/json-schema/json.ts'
import { parseJson } from '../../forms/fields/parse-json.ts'

/** A version of a service's values that typing started from. */
export type Base = { version: number; values: JsonObject }

/** What a person typed, and the version that it started from. */
export type Draft = { name: string; text: string; reason: string; base: Base }

/** Kept while the console is open, so that looking at another page loses nothing. */
const drafts = new Map<string, Draft>()

export const draftOf = (key: string): Draft | undefined => drafts.get(key)

/** Keeps a draft; forgets it where nothing is left that differs from its base. */
export function keepDraft(key: string, draft: Draft | null): void {
  if (draft === null || (draft.name === '' && isUnchanged(draft.text, draft.base))) drafts.delete(key)
  else drafts.set(key, draft)
}

export const NO_BASE: Base = { version: 0, values: {} }

export const baseOf = ({ version, values }: LocalService): Base => ({ version, values })

/** Whether a text holds the very values of a version, however it is formatted. */
export function isUnchanged(text: string, base: Base): boolean {
  const parsed = parseJson(text)
  return parsed !== undefined && deepEqual(parsed, base.values)
}
