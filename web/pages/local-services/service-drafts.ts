import type { LocalService } from '#contract/console-api/shapes.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { isReplacingPage } from '../../api/session.ts'
import { parseJson } from '../../forms/json/parse-json.ts'

/** A version of a service's values on which a draft is based. */
export type ServiceBase = { version: number; values: JsonObject }

/** A person's input, and the version it is based on. */
export type ServiceDraft = { name: string; text: string; reason: string; base: ServiceBase }

/** Kept in memory while the console is open, so that looking at another page loses nothing; closing the tab asks first. */
const drafts = new Map<string, ServiceDraft>()

export const draftOf = (key: string): ServiceDraft | undefined => drafts.get(key)

/** Keeps a draft; forgets it when nothing differs from its base. */
export function keepDraft(key: string, draft: ServiceDraft | null): void {
  if (draft === null || (draft.name === '' && isUnchanged(draft.text, draft.base))) drafts.delete(key)
  else drafts.set(key, draft)
  if (drafts.size > 0) addEventListener('beforeunload', askBeforeUnload)
  else removeEventListener('beforeunload', askBeforeUnload)
}

function askBeforeUnload(event: BeforeUnloadEvent): void {
  if (!isReplacingPage()) event.preventDefault()
}

export const NO_BASE: ServiceBase = { version: 0, values: {} }

export const baseOf = ({ version, values }: LocalService): ServiceBase => ({ version, values })

/** Whether a text contains the values of a version, regardless of formatting. */
export function isUnchanged(text: string, base: ServiceBase): boolean {
  const parsed = parseJson(text)
  return parsed !== undefined && deepEqual(parsed, base.values)
}
