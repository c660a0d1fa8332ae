import { isExactNumber } from '../json-schema/json.ts'
import type { JsonValue } from '../json-schema/json.ts'
import { STRICT_JSON_LIMITS, type StrictJsonLimits } from './limits.ts'
import { StrictJsonScanner } from './strict-json-scanner.ts'

/**
 * Parses JSON as RFC 8259 defines it and rejects what JSON.parse accepts but a database or another parser reads
 * differently: duplicate keys, `__proto__`, NUL, lone surrogates, numbers that would change, and texts that are too deep,
 * too wide or contain strings that are too long. Servers, console and tools read with it every text of a person, a file
 * or a plugin.
 *
 * @throws StrictJsonError
 */
export function parseStrictJson(text: string, limits: Partial<StrictJsonLimits> = {}): JsonValue {
  const all = { ...STRICT_JSON_LIMITS, ...limits }
  const quick = parseQuickly(text, all)
  return quick === UNSURE ? new StrictJsonScanner(text, all).document() : quick
}

/**
 * Parses JSON that is trusted in everything but its keys, such as what this product has stored. As `JSON.parse`, which in V8 (13.6 to
 * 15.0 at least) reads a key with an escape as another one that an earlier object had in its place: `"\t"` as a backslash after
 * `{"\\":1}`. What is read wrongly always has a backslash, so it is not a name that the platform knows; but keys of business values would
 * change. `JSON.parse` may read what has names of ours only.
 *
 * @throws SyntaxError
 */
export function parseTrustedJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!hasEscapedKey(text)) return value
  try {
    return new StrictJsonScanner(text, UNLIMITED).document()
  } catch {
    // it is JSON, but of the kind that people may not send
    return value
  }
}

const UNLIMITED: StrictJsonLimits = { maxDepth: Infinity, maxKeys: Infinity, maxStringBytes: Infinity }
const COLON = /[ \t\r\n]*:/y

/** Whether some key of a text that is known to be JSON has an escape. */
function hasEscapedKey(text: string): boolean {
  let backslash = text.indexOf('\\')
  for (let start = text.indexOf('"'); start !== -1 && backslash !== -1;) {
    const end = endOfString(text, start)
    if (backslash < end) {
      COLON.lastIndex = end + 1
      if (COLON.test(text)) return true
      backslash = text.indexOf('\\', end)
    }
    start = text.indexOf('"', end + 1)
  }
  return false
}

const UNSURE = Symbol('unsure')

/**
 * Uses the platform's parser, several times as fast as ours, then checks the result: a duplicate key shows as more
 * colons in the text than keys in the result. Anything doubtful is left to the scanner, so false alarms are fine and
 * misses are not.
 */
function parseQuickly(text: string, limits: StrictJsonLimits): JsonValue | typeof UNSURE {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    return UNSURE
  }
  if (hasEscapedKey(text)) return UNSURE
  const check: Check = {
    // without such an escape, and in well-formed text, no string can contain NUL or half a surrogate pair
    mayContainSpecial: text.includes('\\u') || !text.isWellFormed(),
    mayBeLong: text.length * 3 > limits.maxStringBytes,
    keys: 0,
    limits,
  }
  const isSound = checkValue(value, check, 0) && check.keys <= limits.maxKeys
  return isSound && check.keys === countColons(text) ? value : UNSURE
}

interface Check {
  mayContainSpecial: boolean
  mayBeLong: boolean
  keys: number
  limits: StrictJsonLimits
}

function checkValue(value: JsonValue, check: Check, depth: number): boolean {
  if (typeof value === 'string') return checkText(value, check)
  if (typeof value !== 'object' || value === null) return true
  if (depth === check.limits.maxDepth) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!checkValue(item, check, depth + 1)) return false
    return true
  }
  for (const key of Object.keys(value)) {
    check.keys++
    if (key === '__proto__' || !checkText(key, check)) return false
    if (!checkValue(value[key] ?? null, check, depth + 1)) return false
  }
  return true
}

function checkText(text: string, { mayContainSpecial, mayBeLong, limits }: Check): boolean {
  if (mayContainSpecial && (text.includes('\0') || !text.isWellFormed())) return false
  return !mayBeLong || text.length * 3 <= limits.maxStringBytes
}

/** Counts colons outside of strings, in a text that is known to be JSON; NaN if one of its numbers would change. */
function countColons(text: string): number {
  let colons = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 58) colons++
    else if (code === 34) at = endOfString(text, at)
    else if (code >= 48 && code <= 57) {
      const start = at
      while (isOfNumber(text.charCodeAt(at + 1))) at++
      if (at > start && !isExactNumber(text.slice(start, at + 1))) return Number.NaN
    }
  }
  return colons
}

/** A digit, or one of `+ - . E e`. */
const isOfNumber = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 46 || code === 45 || code === 43 || code === 69 || code === 101

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++
    if (backslashes % 2 === 0) return end
  }
}
