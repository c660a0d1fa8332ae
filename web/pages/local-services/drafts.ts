import type { JsonObject } from '#contract/json-schema/json.ts'

/** What somebody typed over which version: kept while the console is open, so that looking elsewhere loses nothing. */
export type Draft = { text: string; base: { version: number; values: JsonObject } }

const drafts = new Map<string, Draft>()

export const draftOf = (key: string): Draft | undefined => drafts.get(key)

export function keepDraft(key: string, draft: Draft | null): void {
  if (draft === null) drafts.delete(key)
  else drafts.set(key, draft)
}
