export { isWorkspaceId, parseScope, scopeText } from '#contract/protocol/scope-text.ts'

/** Whether a text contains every word of another, in any order and case. */
export function matchesWords(text: string, words: string): boolean {
  const lower = text.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}
