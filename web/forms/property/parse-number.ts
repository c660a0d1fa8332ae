const PLAIN = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const INTEGER = /^-?\d+$/
/** Digits in groups of three: `1,000`, `12 500`, `1’000.5`. After a leading zero, a comma is the decimal sign. */
const GROUPED = /^-?[1-9]\d{0,2}(?:([,\s'’])\d{3})(?:\1\d{3})*(?:\.\d+)?$/

/**
 * The number that a text means, with group separators or with a decimal comma. Null for any other text, and for an
 * integer that has too many digits to be stored exactly.
 */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim()
  const plain = GROUPED.test(trimmed) ? trimmed.replaceAll(/[,\s'’]/g, '') : trimmed.replace(',', '.')
  const number = Number(plain)
  if (INTEGER.test(plain) && !Number.isSafeInteger(number)) return null
  return PLAIN.test(plain) && Number.isFinite(number) ? number : null
}
