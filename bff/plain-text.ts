/** A text of a stranger on one line: without characters that could reverse it or break the line, and cut off. */
export function plainText(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength * 4)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
}
