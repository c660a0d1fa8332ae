/** A `like` pattern that matches the text anywhere; `%`, `_` and `\` in the text are literal. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
