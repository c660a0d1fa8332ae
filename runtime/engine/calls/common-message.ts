/** What stands for the parts in which messages differ. */
const BLANK = '…'

const WORD = String.raw`[[\p{L}\p{N}_]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+`
/** Words, with their hyphens, and single characters; each ideograph is a word, because nothing separates them. */
const TOKENS = new RegExp(String.raw`${WORD}(?:-${WORD})*|\s+|[^]`, 'gv')

/**
 * The first message, with … for the parts in which any of the others differs from it. The messages have one shape, so they
 * differ in single words; where the number of words differs, all from the first difference to the last is blank.
 */
export function commonMessage([first, ...others]: readonly [string, ...string[]]): string {
  const tokens = tokensOf(first)
  const differs = new Set<number>()
  for (const other of new Set(others)) {
    if (other !== first) for (const index of differences(tokens, tokensOf(other))) differs.add(index)
  }
  return tokens
    .map((token, index) => (differs.has(index) ? BLANK : token))
    .join('')
    .replaceAll(/…(?:[-.:/,]?…)+/g, BLANK)
}

const tokensOf = (message: string): string[] => message.match(TOKENS) ?? []

/** The indices of `tokens` that differ. */
function differences(tokens: readonly string[], others: readonly string[]): number[] {
  const indices = tokens.map((_, index) => index)
  if (tokens.length === others.length) return indices.filter((index) => tokens[index] !== others[index])
  const shorter = Math.min(tokens.length, others.length)
  let same = 0
  while (same < shorter && tokens[same] === others[same]) same++
  let sameEnd = 0
  while (sameEnd < shorter - same && tokens.at(-1 - sameEnd) === others.at(-1 - sameEnd)) sameEnd++
  return indices.slice(same, Math.max(same + 1, tokens.length - sameEnd))
}
