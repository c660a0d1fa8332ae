import type { JsonValue } from '#contract/json-schema/json.ts'
import { MASK } from '#contract/protocol/data.ts'
import { looseForm, looseReadings } from './loose-text.ts'

const KEY_LENGTH = 8
const MAX_SECRETS = 20_000

/** Needles by their first characters, of which each has as many as the key is long. */
class Needles {
  readonly #keyLength: number
  private readonly byStart = new Map<string, Set<string>>()
  // two secrets may have the same needle
  private readonly uses = new Map<string, number>()

  constructor(keyLength = KEY_LENGTH) {
    this.#keyLength = keyLength
  }

  add(needle: string): void {
    const uses = this.uses.get(needle) ?? 0
    this.uses.set(needle, uses + 1)
    if (uses > 0) return
    const start = needle.slice(0, this.#keyLength)
    const needles = this.byStart.get(start)
    if (needles === undefined) this.byStart.set(start, new Set([needle]))
    else needles.add(needle)
  }

  remove(needle: string): void {
    const uses = this.uses.get(needle) ?? 0
    if (uses > 1) return void this.uses.set(needle, uses - 1)
    this.uses.delete(needle)
    const start = needle.slice(0, this.#keyLength)
    const needles = this.byStart.get(start)
    needles?.delete(needle)
    if (needles?.size === 0) this.byStart.delete(start)
  }

  get isEmpty(): boolean {
    return this.byStart.size === 0
  }

  /** The longest needle at the first place from `from` on that has one. */
  find(text: string, from: number): { at: number; length: number } | null {
    for (let at = from; at + this.#keyLength <= text.length; at++) {
      const needles = this.byStart.get(text.slice(at, at + this.#keyLength))
      if (needles === undefined) continue
      let length = 0
      for (const needle of needles)
        if (needle.length > length && text.startsWith(needle, at)) length = needle.length
      if (length > 0) return { at, length }
    }
    return null
  }
}

/**
 * Finds known secret values and their encodings inside any text, also in another case, with signs, spaces or line breaks in
 * between, and escaped as in URLs, JSON and HTML. The cost is linear in the text, independent of the number of secrets:
 * the first eight characters of each needle are looked up at every position.
 */
export class Scrubber {
  private readonly exact = new Needles()
  private readonly loose = new Needles()
  private readonly values = new Set<string>()

  /**
   * Remembers a value of at least 8 characters; shorter ones would mask ordinary words. The oldest are forgotten beyond
   * 20,000.
   */
  add(value: string): void {
    if (value.length < KEY_LENGTH || this.values.has(value)) return
    if (this.values.size >= MAX_SECRETS) this.remove(this.values.values().next().value ?? '')
    this.values.add(value)
    const encodings = encodingsOf(value)
    for (const needle of encodings) this.exact.add(needle)
    for (const needle of looseNeedles(encodings)) this.loose.add(needle)
  }

  remove(value: string): void {
    if (!this.values.delete(value)) return
    const encodings = encodingsOf(value)
    for (const needle of encodings) this.exact.remove(needle)
    for (const needle of looseNeedles(encodings)) this.loose.remove(needle)
  }

  contains(text: string): boolean {
    return this.places(text).length > 0
  }

  /** The text with every known secret replaced by the mask. */
  scrub(text: string): string {
    let result = ''
    let done = 0
    for (const { from, to } of this.places(text)) {
      if (from >= done) result += text.slice(done, from) + MASK
      done = Math.max(done, to)
    }
    return done === 0 ? text : result + text.slice(done)
  }

  /** Where secrets are in a text, in order; places may overlap. */
  private places(text: string): { from: number; to: number }[] {
    if (this.exact.isEmpty || text.length < KEY_LENGTH) return []
    const places: { from: number; to: number }[] = []
    for (let found = this.exact.find(text, 0); found !== null;) {
      const to = found.at + found.length
      places.push({ from: found.at, to })
      found = this.exact.find(text, to)
    }
    if (this.loose.isEmpty) return places
    for (const reading of looseReadings(text)) {
      for (let found = this.loose.find(reading.text, 0); found !== null;) {
        const end = found.at + found.length
        places.push({ from: reading.from[found.at] ?? 0, to: reading.to[end - 1] ?? text.length })
        found = this.loose.find(reading.text, end)
      }
    }
    return places.sort((one, other) => one.from - other.from)
  }
}

/** Without signs, a number could be found in times and sizes, and a short text in ordinary words. */
const looseNeedles = (encodings: ReadonlySet<string>): Set<string> =>
  new Set([...encodings].map(looseForm).filter((form) => form.length >= KEY_LENGTH && /\D/.test(form)))

/** The forms in which a text of at least 8 characters may appear: plain, JSON, URL, hex and base64 at any offset. */
export function encodingsOf(value: string): Set<string> {
  const bytes = Buffer.from(value)
  const hex = bytes.toString('hex')
  const all = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    hex,
    hex.toUpperCase(),
  ]
  // Inside a longer base64 text ("user:secret") a value starts at one of three bit offsets; its edges mix with the
  // neighbors and are dropped.
  for (const offset of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const whole = Math.floor(((offset + bytes.length) * 8) / 6)
    const inner = text.slice(offset === 0 ? 0 : offset + 1, whole)
    all.push(inner, inner.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return new Set(all.filter((needle) => needle.length >= KEY_LENGTH))
}

/** All strings and numbers inside sensitive values, as texts to search for. */
function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'number') return [String(value)]
  if (value === null || typeof value === 'boolean') return []
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(textsOf)
}

const SHORTEST_INNER = 4

/**
 * A copy of `json` in which every string or key that contains a sensitive value, in plain or in a common encoding, is
 * masked as a whole, and so is every number equal to one. A value shorter than four characters is masked only if it is
 * the entire string; otherwise every "a" would be masked.
 */
export const maskStrings = (json: JsonValue, secrets: Iterable<JsonValue>): JsonValue =>
  maskerOf(secrets)(json)

/** {@link maskStrings} for several values: to prepare the secrets costs more than to look for them in a short text. */
export function maskerOf(secrets: Iterable<JsonValue>): (json: JsonValue) => JsonValue {
  const texts = new Set([...secrets].flatMap(textsOf))
  if (texts.size === 0) return (json) => json
  const scrubber = new Scrubber()
  for (const text of texts) scrubber.add(text)
  const middling = new Needles(SHORTEST_INNER)
  for (const text of texts) if (text.length >= SHORTEST_INNER && text.length < KEY_LENGTH) middling.add(text)
  const isSecret = (text: string): boolean =>
    texts.has(text) || scrubber.contains(text) || (!middling.isEmpty && middling.find(text, 0) !== null)
  return (json) => masked(json, isSecret)
}

function masked(json: JsonValue, isSecret: (text: string) => boolean): JsonValue {
  if (typeof json === 'string') return isSecret(json) ? MASK : json
  if (typeof json === 'number') return isSecret(String(json)) ? MASK : json
  if (json === null || typeof json === 'boolean') return json
  if (Array.isArray(json)) return json.map((item) => masked(item, isSecret))
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [isSecret(key) ? MASK : key, masked(value, isSecret)]),
  )
}

/** The text with `?` for all that is not visible ASCII, as headers are shown. */
export const visibleText = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?')

/** The secrets, and how they look in a visible header: HTTP does not say whether it is sent as Latin-1 or as UTF-8. */
export function secretsInHeaders(secrets: readonly JsonValue[]): JsonValue[] {
  const looks = secrets
    .flatMap(textsOf)
    .flatMap((text) => [visibleText(text), visibleText(Buffer.from(text).toString('latin1'))])
  return [...secrets, ...looks]
}
