/** The ASCII characters in the order of a collator, without upper case. */
const ORDER = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz'
const ASCII = /^[ -~]*$/
const DIGITS = /^[0-9]+/

/**
 * The order of a collator with numbers by value (`Module 2` before `Module 10`), for sorting what a person reads. The
 * first `localeCompare` of a page takes as long as rendering a list, so ASCII texts are compared here.
 *
 * @returns a number below, equal to or above 0.
 */
export function compareText(one: string, other: string): number {
  if (!ASCII.test(one) || !ASCII.test(other)) return one.localeCompare(other, undefined, { numeric: true })
  const [first, second] = [one.toLowerCase(), other.toLowerCase()]
  const at = firstDifference(first, second)
  if (at !== null) return compareNumbers(first, second, at) || rank(first[at]) - rank(second[at])
  // letters of equal texts: lower case comes first
  const letter = firstDifference(one, other)
  if (letter === null) return 0
  return one[letter] === first[letter] ? -1 : 1
}

/** Compares the numbers that the first difference of two texts is in; 0 if it is not in a number of each. */
function compareNumbers(one: string, other: string, at: number): number {
  let start = at
  while (DIGITS.test(one[start - 1] ?? '')) start -= 1
  const [first, second] = [one, other].map((text) => DIGITS.exec(text.slice(start))?.[0].replace(/^0+/, ''))
  if (first === undefined || second === undefined) return 0
  if (first.length !== second.length) return first.length - second.length
  return first < second ? -1 : Number(first > second)
}

/** Undefined is the end of a text. */
const rank = (character: string | undefined): number =>
  character === undefined ? -1 : ORDER.indexOf(character)

/** The first position at which two texts differ; the end of the shorter one is a difference. */
function firstDifference(one: string, other: string): number | null {
  if (one === other) return null
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}
