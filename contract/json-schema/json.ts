/** Every value that JSON can represent, and nothing else. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export type JsonObject = { [key: string]: JsonValue }

/** Names that can reach an object's prototype when used as a key; maps of the protocol reject them. */
export const RESERVED_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** True for an object that JSON.parse could have produced: not null, not an array, not a class instance. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/**
 * True if the whole value survives JSON: no undefined, NaN, infinity, class instance, hole or cycle. Uses an explicit
 * stack, because a body may nest deeper than the call stack.
 */
export function isJsonValue(value: unknown): value is JsonValue {
  const open: { value: unknown; leave?: true }[] = [{ value }]
  const above = new Set<unknown>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current } = next
    if (next.leave) above.delete(current)
    else if (typeof current === 'object' && current !== null) {
      if (above.has(current) || !(Array.isArray(current) || isJsonObject(current))) return false
      above.add(current)
      open.push({ value: current, leave: true })
      // Array.from turns a hole into undefined, which is then rejected.
      const children: unknown[] = Array.isArray(current) ? Array.from(current) : Object.values(current)
      for (const child of children) open.push({ value: child })
    } else if (typeof current === 'number' ? !Number.isFinite(current) : !isScalar(current)) return false
  }
  return true
}

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean'

/** Equality of JSON values: key order is ignored, 1.0 equals 1, and -0 equals 0. Two absent values are equal. */
export function deepEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const open: [JsonValue | undefined, JsonValue | undefined][] = [[a, b]]
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair
    if (left === right) continue
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false
      for (const [index, item] of left.entries()) open.push([item, right[index]])
    } else {
      if (Array.isArray(right)) return false
      const keys = Object.keys(left)
      if (keys.length !== Object.keys(right).length) return false
      for (const key of keys) {
        if (!Object.hasOwn(right, key)) return false
        open.push([left[key], right[key]])
      }
    }
  }
  return true
}

/** All strings inside a value, keys included. Uses an explicit stack, because a value may nest deeply. */
export function textsIn(value: JsonValue): string[] {
  const texts: string[] = []
  const open: JsonValue[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') texts.push(next)
    else if (Array.isArray(next)) for (const item of next) open.push(item)
    else if (typeof next === 'object' && next !== null)
      for (const [key, item] of Object.entries(next)) open.push(key, item)
  }
  return texts
}

/** The value of a map's own key. A property may be named `toString`, so that the prototype must never answer. */
export function getOwn<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

// JSON pointers (RFC 6901).

/** A map with the same keys and other values. `fromEntries` defines its keys, so no key can reach the prototype. */
export const mapValues = <From, To>(
  map: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]))

/** The pointer to the value that these keys and positions lead to, from the outside in; empty for the whole document. */
export const pointerTo = (...segments: readonly PropertyKey[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The keys and positions of a pointer, from the outside in. */
export const pointerSegments = (pointer: string): string[] => pointer.split('/').slice(1).map(unescapeSegment)

/** One segment of a pointer as the key that it stands for. */
export const unescapeSegment = (segment: string): string =>
  segment.replaceAll('~1', '/').replaceAll('~0', '~')

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

/** Maximum nesting of a property's schema. */
export const SCHEMA_DEPTH_MAX = 32
/** Maximum nesting of a business value. */
export const VALUE_DEPTH_MAX = 128
/** Maximum length of one regular expression in a schema. */
export const PATTERN_MAX = 1024
