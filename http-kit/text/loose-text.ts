/** A text that was read in another way, with the place of each of its characters in the original. */
export interface Reading {
  text: string
  /** For each UTF-16 unit of `text`: where what it was read from begins and ends. */
  from: number[]
  to: number[]
}

/**
 * How else a text may be read by somebody who looks for a secret in it: letters and digits only, in lower case, so that
 * other cases, line breaks and signs in between do not hide it; as it is, and with the escapes of URLs, JSON, JavaScript and HTML
 * resolved once and twice.
 */
export function looseReadings(text: string): Reading[] {
  const readings = [asIs(text)]
  for (let times = 0; times < 2; times++) {
    const last = readings.at(-1)
    if (last === undefined || !ESCAPES.test(last.text)) break
    readings.push(unescaped(last))
  }
  return readings.map((reading) => lettersOf(reading))
}

/** The letters and digits of a text, in lower case. */
export const looseForm = (text: string): string => lettersOf(asIs(text)).text

function asIs(text: string): Reading {
  const from = Array.from({ length: text.length }, (_, at) => at)
  return { text, from, to: from.map((at) => at + 1) }
}

const ESCAPES =
  /(?<bytes>(?:(?:%|=|\\x)[0-9a-f]{2})+)|\\u\{?(?<unit>[0-9a-f]{1,6})\}?|&#x(?<hex>[0-9a-f]{1,6});?|&#(?<decimal>\d{1,7});?|&(?<name>amp|lt|gt|quot|apos|plus|sol|equals);/i
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  plus: '+',
  sol: '/',
  equals: '=',
}

function unescaped(reading: Reading): Reading {
  const result: Reading = { text: '', from: [], to: [] }
  const parts: string[] = []
  const add = (text: string, first: number, last: number): void => {
    parts.push(text)
    for (let unit = 0; unit < text.length; unit++) {
      result.from.push(reading.from[first] ?? 0)
      result.to.push(reading.to[last] ?? 0)
    }
  }
  let at = 0
  for (const match of reading.text.matchAll(new RegExp(ESCAPES, 'gi'))) {
    for (; at < match.index; at++) add(reading.text[at] ?? '', at, at)
    const [whole] = match
    const { bytes, unit, hex, decimal, name = '' } = match.groups ?? {}
    if (bytes === undefined) {
      const code = Number.parseInt(unit ?? hex ?? decimal ?? '', decimal === undefined ? 16 : 10)
      add(NAMED[name.toLowerCase()] ?? characterOf(code), at, at + whole.length - 1)
    } else addBytes(bytes, at, add)
    at += whole.length
  }
  for (; at < reading.text.length; at++) add(reading.text[at] ?? '', at, at)
  return { ...result, text: parts.join('') }
}

/** Escaped bytes are UTF-8; each character lies where its bytes do. */
function addBytes(
  escaped: string,
  start: number,
  add: (text: string, first: number, last: number) => void,
): void {
  const escapes = [...escaped.matchAll(/(?:%|=|\\x)([0-9a-f]{2})/gi)]
  const bytes = Buffer.from(escapes.map(([, hex = '']) => Number.parseInt(hex, 16)))
  let byte = 0
  for (const character of bytes.toString()) {
    const length = character === '\ufffd' ? 1 : Buffer.byteLength(character)
    const first = escapes[byte]
    const last = escapes[Math.min(byte + length, escapes.length) - 1]
    if (first !== undefined && last !== undefined)
      add(character, start + first.index, start + last.index + last[0].length - 1)
    byte += length
  }
}

const characterOf = (code: number): string => (code <= 0x10_ff_ff ? String.fromCodePoint(code) : '')

const OTHER_LETTER = /[\p{L}\p{N}]/u

function lettersOf(reading: Reading): Reading {
  const result: Reading = { text: '', from: [], to: [] }
  const parts: string[] = []
  for (let at = 0; at < reading.text.length; at++) {
    const unit = reading.text[at] ?? ''
    const lower = unit.toLowerCase()
    const isLetter =
      (lower >= 'a' && lower <= 'z') ||
      (lower >= '0' && lower <= '9') ||
      (unit > '\x7f' && OTHER_LETTER.test(unit))
    if (!isLetter || lower.length !== 1) continue
    parts.push(lower)
    result.from.push(reading.from[at] ?? 0)
    result.to.push(reading.to[at] ?? 0)
  }
  return { ...result, text: parts.join('') }
}
