/** A text that was read in another way, with the place of each of its characters in the original. */
export interface Reading {
  text: string
  /** For each UTF-16 unit of `text`: where what it was read from begins and ends. May be longer than `text`. */
  from: Int32Array
  to: Int32Array
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

const BEYOND_ASCII = /[\u0080-\uffff]/

/** The letters and digits of a text, in lower case. */
export const looseForm = (text: string): string =>
  BEYOND_ASCII.test(text) ? lettersOf(asIs(text)).text : text.replaceAll(/[^\da-z]+/gi, '').toLowerCase()

function asIs(text: string): Reading {
  const from = new Int32Array(text.length)
  const to = new Int32Array(text.length)
  for (let at = 0; at < text.length; at++) {
    from[at] = at
    to[at] = at + 1
  }
  return { text, from, to }
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
  const { text } = reading
  const result = emptyReading(text.length)
  const parts: string[] = []
  let length = 0
  const add = (part: string, first: number, last: number): void => {
    parts.push(part)
    for (let unit = 0; unit < part.length; unit++) {
      result.from[length] = reading.from[first] ?? 0
      result.to[length++] = reading.to[last] ?? 0
    }
  }
  const addAsIs = (start: number, end: number): void => {
    parts.push(text.slice(start, end))
    result.from.set(reading.from.subarray(start, end), length)
    result.to.set(reading.to.subarray(start, end), length)
    length += end - start
  }
  let at = 0
  for (const match of text.matchAll(new RegExp(ESCAPES, 'gi'))) {
    addAsIs(at, match.index)
    at = match.index
    const [whole] = match
    const { bytes, unit, hex, decimal, name = '' } = match.groups ?? {}
    if (bytes === undefined) {
      const code = Number.parseInt(unit ?? hex ?? decimal ?? '', decimal === undefined ? 16 : 10)
      add(NAMED[name.toLowerCase()] ?? characterOf(code), at, at + whole.length - 1)
    } else addBytes(bytes, at, add)
    at += whole.length
  }
  addAsIs(at, text.length)
  return { ...result, text: parts.join('') }
}

/** Neither escapes nor what is left of a text need more room than the text. */
const emptyReading = (length: number): Reading => ({
  text: '',
  from: new Int32Array(length),
  to: new Int32Array(length),
})

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
  const { text } = reading
  const result = emptyReading(text.length)
  const parts: string[] = []
  let length = 0
  // of the letters and digits of ASCII, which are copied together
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : NaN
    if (isLetterOfAscii(code)) {
      result.from[length] = reading.from[at] ?? 0
      result.to[length++] = reading.to[at] ?? 0
      continue
    }
    if (start < at) parts.push(text.slice(start, at).toLowerCase())
    start = at + 1
    if (!(code > 0x7f)) continue
    const unit = text[at] ?? ''
    const lower = unit.toLowerCase()
    if (lower.length !== 1 || !(isLetterOfAscii(lower.charCodeAt(0)) || OTHER_LETTER.test(unit))) continue
    parts.push(lower)
    result.from[length] = reading.from[at] ?? 0
    result.to[length++] = reading.to[at] ?? 0
  }
  return { ...result, text: parts.join('') }
}

/** Whether a UTF-16 unit is a letter or digit of ASCII. */
const isLetterOfAscii = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
