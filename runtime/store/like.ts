/** A `like` pattern that matches the text anywhere; `%`, `_` and `\` in the text are literal. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

const WORDS_MAX = 8

/** The words of a search, of which each must be found; more than 8 are ignored. */
export function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX)
}
