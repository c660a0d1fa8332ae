const PLAIN = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Digits in groups of three: `1,000`, `12 500`, `1’000.5`. */
const GROUPED = /^-?\d{1,3}(?:([,\s'’])\d{3})(?:\1\d{3})*(?:\.\d+)?$/

/** The number that a text means, with group separators or with a decimal comma; null for any other text. */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim()
  const plain = GROUPED.test(trimmed) ? trimmed.replaceAll(/[,\s'’]/g, '') : trimmed.replace(',', '.')
  const number = Number(plain)
  return PLAIN.test(plain) && Number.isFinite(number) ? number : null
}
