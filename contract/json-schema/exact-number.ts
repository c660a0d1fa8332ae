/** A number of at most 15 digits without an exponent: a double keeps all of its digits. */
const SHORT_MAX = 15
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * True if a number in the syntax of JSON is kept: what JSON.stringify writes for its value is equal to what was written.
 * So `1.0`, `1e2` and `0.1` are kept; `9007199254740993`, `18446744073709551616` (written as 18446744073709552000),
 * `0.1234567890123456789` and `1e-400` (written as 0) are not. Linear in the length of the text.
 */
export function isExactNumber(text: string): boolean {
  if (text.length <= SHORT_MAX && !/[eE]/.test(text)) return true
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  const written = String(value)
  return written === text || canonical(written) === canonical(text)
}

/** The decimal value of a number in one spelling: digits without outer zeros, and the exponent of the last of them. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  const digits = whole + fraction
  let start = 0
  while (digits.charCodeAt(start) === 48) start++
  if (start === digits.length) return '0'
  let end = digits.length
  while (digits.charCodeAt(end - 1) === 48) end--
  return `${sign}${digits.slice(start, end)}e${Number(exponent) + whole.length - end}`
}
