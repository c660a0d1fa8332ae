import type { JsonValue } from '#contract/json-schema/json.ts'
import { MASK } from '#contract/protocol/data.ts'
import { looseForm, looseReadings } from './loose-text.ts'

const KEY_LENGTH = 8
const MAX_SECRETS = 20_000

/**
 * How many comparisons of some characters a search may make, and how many more for each character of its text. Secrets may begin alike,
 * and a text may be full of such beginnings.
 */
const COMPARISONS = { atFirst: 100_000, forCharacter: 4 }
const COMPARED_AT_ONCE = 64

interface Effort {
  comparisons: number
}

const effortFor = (text: string): Effort => ({
  comparisons: COMPARISONS.atFirst + text.length * COMPARISONS.forCharacter,
})

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

  /**
   * The longest needle at the first place from `from` on that has one; from where it would take too much effort to look, all the rest of
   * the text.
   */
  find(text: string, from: number, effort: Effort): { at: number; length: number } | null {
    for (let at = from; at + this.#keyLength <= text.length; at++) {
      const needles = this.byStart.get(text.slice(at, at + this.#keyLength))
      if (needles === undefined) continue
      let length = 0
      for (const needle of needles)
        if (needle.length > length && isAt(text, at, needle, effort)) length = needle.length
      if (effort.comparisons < 0) return { at, length: text.length - at }
      if (length > 0) return { at, length }
    }
    return null
  }
}

function isAt(text: string, at: number, needle: string, effort: Effort): boolean {
  for (let start = 0; start < needle.length; start += COMPARED_AT_ONCE) {
    if (effort.comparisons-- < 0) return false
    const part = needle.length > COMPARED_AT_ONCE ? needle.slice(start, start + COMPARED_AT_ONCE) : needle
    if (!text.startsWith(part, at + start)) return false
  }
  return true
}

/**
 * Finds known secret values and their encodings inside any text, also in another case, with signs, spaces or line breaks in
 * between, and escaped as in URLs, JSON and HTML. The first eight characters of each needle are looked up at every position; once so many
 * needles begin like a text that to compare them has taken too long, all the rest of the text counts as a secret.
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

  contains(text: string, effort = effortFor(text)): boolean {
    return this.places(text, effort).length > 0
  }

  /** The text with every known secret replaced by the mask. */
  scrub(text: string): string {
    let result = ''
    let done = 0
    for (const { from, to } of this.places(text, effortFor(text))) {
      if (from >= done) result += text.slice(done, from) + MASK
      done = Math.max(done, to)
    }
    return done === 0 ? text : result + text.slice(done)
  }

  /** Where secrets are in a text, in order; places may overlap. */
  private places(text: string, effort: Effort): { from: number; to: number }[] {
    if (this.exact.isEmpty || text.length < KEY_LENGTH) return []
    const places: { from: number; to: number }[] = []
    for (let found = this.exact.find(text, 0, effort); found !== null;) {
      const to = found.at + found.length
      places.push({ from: found.at, to })
      found = this.exact.find(text, to, effort)
    }
    if (this.loose.isEmpty) return places
    for (const reading of looseReadings(text)) {
      for (let found = this.loose.find(reading.text, 0, effort); found !== null;) {
        const end = found.at + found.length
        places.push({ from: reading.from[found.at] ?? 0, to: reading.to[end - 1] ?? text.length })
        found = this.loose.find(reading.text, end, effort)
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

/** To prepare more secrets than these, of those that have encodings, takes too long for one response. */
const MASKED_MAX = { secrets: 5_000, characters: 1024 * 1024 }

/**
 * A copy of `json` in which every string or key that contains a sensitive value, in plain or in a common encoding, is
 * masked as a whole, and so is every number equal to one. A value shorter than four characters is masked only if it is
 * the entire string; otherwise every "a" would be masked. If there are very many sensitive values, or if a string looks so much like them
 * that to compare it takes too long, every string that may contain one is masked.
 */
export const maskStrings = (json: JsonValue, secrets: readonly JsonValue[]): JsonValue =>
  maskerOf(secrets)(json)

type Masker = (json: JsonValue) => JsonValue

interface Prepared {
  mask: Masker
  /** False if there are too many: then `mask` masks every string that may contain one. */
  areFound: boolean
}

/**
 * Makes something of a list of secrets once. A list to which secrets have been added is another one: it is made again.
 */
function onceFor<Made>(
  make: (secrets: readonly JsonValue[]) => Made,
): (secrets: readonly JsonValue[]) => Made {
  const known = new WeakMap<readonly JsonValue[], { made: Made; size: number }>()
  return (secrets) => {
    const found = known.get(secrets)
    if (found?.size === secrets.length) return found.made
    const made = make(secrets)
    known.set(secrets, { made, size: secrets.length })
    return made
  }
}

/** To prepare secrets costs more than to look for them in a short text, and those of an operation are looked for in many. */
const preparedOf = onceFor(prepare)

/** {@link maskStrings} for several values. */
export const maskerOf = (secrets: readonly JsonValue[]): Masker => preparedOf(secrets).mask

/** Whether the secrets are few enough to be found in a text. Otherwise a caller says itself which texts cannot contain any. */
export const areFound = (secrets: readonly JsonValue[]): boolean => preparedOf(secrets).areFound

function prepare(secrets: readonly JsonValue[]): Prepared {
  const texts = new Set(secrets.flatMap(textsOf))
  if (texts.size === 0) return { mask: (json) => json, areFound: true }
  const long = [...texts].filter((text) => text.length >= KEY_LENGTH)
  const characters = long.reduce((sum, text) => sum + text.length, 0)
  if (long.length > MASKED_MAX.secrets || characters > MASKED_MAX.characters)
    return {
      mask: (json) => masked(json, (text) => text.length >= SHORTEST_INNER || texts.has(text)),
      areFound: false,
    }
  const scrubber = new Scrubber()
  for (const text of long) scrubber.add(text)
  const middling = new Needles(SHORTEST_INNER)
  for (const text of texts) if (text.length >= SHORTEST_INNER && text.length < KEY_LENGTH) middling.add(text)
  const mask: Masker = (json) => {
    const effort = effortFor('')
    return masked(json, (text) => {
      effort.comparisons += text.length * COMPARISONS.forCharacter
      if (texts.has(text) || scrubber.contains(text, effort)) return true
      return !middling.isEmpty && middling.find(text, 0, effort) !== null
    })
  }
  return { mask, areFound: true }
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

/**
 * The secrets, and how they look in a visible header: HTTP does not say whether it is sent as Latin-1 or as UTF-8. The same list for the
 * same secrets, so that it is prepared once.
 */
export const secretsInHeaders = onceFor((secrets) => [
  ...secrets,
  ...secrets
    .flatMap(textsOf)
    .flatMap((text) => [visibleText(text), visibleText(Buffer.from(text).toString('latin1'))]),
])
