/** The ASCII characters in the order of `localeCompare`, without upper case. */
const ORDER = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz'
const ASCII = /^[ -~]*$/

/**
 * The order of `localeCompare`, for sorting what a person reads. The first `localeCompare` of a page takes as long as
 * rendering a list, so ASCII texts are compared here.
 *
 * @returns a number below, equal to or above 0.
 */
export function compareText(one: string, other: string): number {
  if (!ASCII.test(one) || !ASCII.test(other)) return one.localeCompare(other)
  const [first, second] = [one.toLowerCase(), other.toLowerCase()]
  const at = firstDifference(first, second)
  if (at !== null) return rank(first[at]) - rank(second[at])
  // letters of equal texts: lower case comes first
  const letter = firstDifference(one, other)
  if (letter === null) return 0
  return one[letter] === first[letter] ? -1 : 1
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
