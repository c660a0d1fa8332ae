/** Two texts as what they begin and end with in common, and what differs between: whole words, as far as there are words. */
export function changedParts(before: string, after: string) {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const first = () => [before.charAt(start), after.charAt(start)]
  while (start > 0 && isInWord(before.charAt(start - 1), first())) start -= 1
  const last = () => [before, after].map((text) => text.charAt(text.length - end - 1))
  while (end > 0 && isInWord(before.charAt(before.length - end), last())) end -= 1
  const middle = (text: string) => text.slice(start, text.length - end)
  return {
    start: before.slice(0, start),
    before: middle(before),
    after: middle(after),
    end: before.slice(before.length - end),
  }
}

/** A letter of a script that separates words, a digit, or half of a character of two UTF-16 units. */
const WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{Cs}]/u

/** Whether a word continues between a character that both texts have and what is beside it in either of them. */
const isInWord = (common: string, beside: readonly string[]): boolean =>
  WORD.test(common) && beside.some((character) => WORD.test(character))
