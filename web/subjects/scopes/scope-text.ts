import { isKey } from '#contract/protocol/locator.ts'
import type { ScopeKey } from '../../addresses/paths.ts'

export { scopeText } from '#contract/protocol/scope-text.ts'

/** Whether a text contains every word of another, in any order and case. */
export function matchesWords(text: string, words: string): boolean {
  const lower = text.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}

/** Whether a text is a workspace ID: a whole number that JavaScript represents exactly. */
export const isWorkspaceId = (text: string): boolean =>
  /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text))

/** `environment/runtime/workspace` parsed as a scope; null for anything else. */
export function parseScope(text: string): ScopeKey | null {
  const [environmentKey = '', applicationRuntimeId = '', workspace = '', ...rest] = text.split('/')
  const isScope =
    rest.length === 0 && isKey(environmentKey) && isKey(applicationRuntimeId) && isWorkspaceId(workspace)
  return isScope ? { environmentKey, applicationRuntimeId, workspaceId: Number(workspace) } : null
}
