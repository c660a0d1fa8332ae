import type { JsonValue } from '#contract/json-schema/json.ts'
import { BODY_DEPTH_MAX, BODY_KEYS_MAX, STRING_BYTES_MAX } from '#contract/protocol/limits.ts'
import { pointerTo } from '#contract/json-schema/pointer.ts'

export interface StrictJsonLimits {
  maxDepth: number
  /** Object keys in the whole document. */
  maxKeys: number
  /** UTF-8 bytes of one string. */
  maxStringBytes: number
}

export const STRICT_JSON_LIMITS: StrictJsonLimits = {
  maxDepth: BODY_DEPTH_MAX,
  maxKeys: BODY_KEYS_MAX,
  maxStringBytes: STRING_BYTES_MAX,
}

/**
 * The text is not JSON that we accept. `path` is a JSON pointer to the location; the message contains no value from the
 * text.
 */
export class StrictJsonError extends Error {
  override name = 'StrictJsonError'
  readonly path: string
  constructor(message: string, path: string) {
    super(path === '' ? message : `${message} (at ${path.slice(0, 200)})`)
    this.path = path
  }
}

const PLAIN = /[^"\\\u0000-\u001f]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
/**
 * Reads JSON character by character: slow, but it knows what is wrong and where. `strict-json.ts` lists what is
 * rejected.
 */
export class StrictJsonScanner {
  private at = 0
  private keys = 0
  private readonly path: (string | number)[] = []
  private readonly text: string
  private readonly limits: StrictJsonLimits

  constructor(text: string, limits: StrictJsonLimits) {
    this.text = text
    this.limits = limits
  }

  document(): JsonValue {
    const value = this.value()
    this.blank()
    if (this.at < this.text.length) this.fail('There is text after the end of the JSON value')
    return value
  }

  private value(): JsonValue {
    this.blank()
    switch (this.text[this.at]) {
      case '{':
        return this.object()
      case '[':
        return this.array()
      case '"':
        return this.string()
      case 't':
        return this.word('true', true)
      case 'f':
        return this.word('false', false)
      case 'n':
        return this.word('null', null)
      default:
        return this.number()
    }
  }

  private object(): JsonValue {
    this.enter()
    const result: { [key: string]: JsonValue } = {}
    for (let first = true; !this.ends('}', first); first = false) {
      if (this.text[this.at] !== '"') this.fail('A key in double quotes is expected')
      const key = this.string()
      this.path.push(key)
      if (key === '__proto__') this.fail('The key "__proto__" is not allowed')
      if (Object.hasOwn(result, key)) this.fail('The key is duplicated in one object')
      if (++this.keys > this.limits.maxKeys) this.fail(`There are more than ${this.limits.maxKeys} keys`)
      this.blank()
      if (this.text[this.at++] !== ':') this.fail('A colon is expected after the key')
      result[key] = this.value()
      this.path.pop()
    }
    this.depth--
    return result
  }

  private array(): JsonValue {
    this.enter()
    const result: JsonValue[] = []
    while (!this.ends(']', result.length === 0)) {
      this.path.push(result.length)
      result.push(this.value())
      this.path.pop()
    }
    this.depth--
    return result
  }

  private depth = 0
  private enter(): void {
    this.at++
    if (++this.depth > this.limits.maxDepth) this.fail(`The nesting is deeper than ${this.limits.maxDepth}`)
  }

  /** Advances past a comma to the next member, or past the closing bracket. */
  private ends(bracket: string, first: boolean): boolean {
    this.blank()
    if (this.text[this.at] === bracket) {
      this.at++
      return true
    }
    if (first) return false
    if (this.text[this.at++] !== ',') this.fail(`A comma or "${bracket}" is expected`)
    this.blank()
    if (this.text[this.at] === bracket) this.fail('There is a comma before a closing bracket')
    return false
  }

  private string(): string {
    const start = ++this.at
    let hasEscape = false
    for (;;) {
      this.at += this.match(PLAIN).length
      const next = this.text[this.at]
      if (next === '"') break
      if (next !== '\\')
        this.fail(
          next === undefined ? 'A string is not terminated' : 'A string contains a raw control character',
        )
      const escape = this.match(ESCAPE)
      if (escape === '') this.fail('A string contains an invalid escape')
      hasEscape = true
      this.at += escape.length
    }
    const raw = this.text.slice(start, this.at++)
    const value = hasEscape ? String(JSON.parse(`"${raw}"`)) : raw
    if (hasEscape && value.includes('\0')) this.fail('A string contains the character NUL')
    if (!value.isWellFormed()) this.fail('A string contains half of a surrogate pair')
    const { maxStringBytes } = this.limits
    if (value.length * 3 > maxStringBytes && Buffer.byteLength(value) > maxStringBytes) {
      this.fail(`A string is longer than ${maxStringBytes} bytes`)
    }
    return value
  }

  private number(): number {
    const lexeme = this.match(NUMBER)
    if (lexeme === '' || lexeme === '-')
      this.fail(this.at < this.text.length ? 'A JSON value is expected' : 'The JSON text is incomplete')
    this.at += lexeme.length
    const value = Number(lexeme)
    if (!Number.isFinite(value)) this.fail('A number is too large')
    // it must serialize to the same text; JSON.stringify writes an exponent from 1e21 on
    const losesDigits =
      /^-?\d{16,}$/.test(lexeme) && String(value) !== lexeme && BigInt(lexeme) !== BigInt(value)
    if (losesDigits) this.fail('An integer is too large to be represented exactly')
    return value
  }

  private word<Value extends JsonValue>(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.at)) this.fail('A JSON value is expected')
    this.at += word.length
    return value
  }

  private blank(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
      this.at++
    }
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at
    return pattern.exec(this.text)?.[0] ?? ''
  }

  private fail(message: string): never {
    throw new StrictJsonError(message, pointerTo(...this.path).toWellFormed())
  }
}
