import { isExactNumber, pointerTo } from '../json-schema/json.ts'
import type { JsonValue } from '../json-schema/json.ts'
import { placeIn, StrictJsonError, type JsonTextProblem } from './json-text-problem.ts'
import type { StrictJsonLimits } from './limits.ts'

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
    if (this.at < this.text.length) this.fail({ reason: 'textAfterEnd' })
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
      const start = this.at
      if (this.text[start] !== '"') this.failHere('keyExpected')
      const key = this.string()
      this.path.push(key)
      if (key === '__proto__') this.fail({ reason: 'keyReserved' }, start)
      if (Object.hasOwn(result, key)) this.fail({ reason: 'keyRepeated' }, start)
      if (++this.keys > this.limits.maxKeys)
        this.fail({ reason: 'tooManyKeys', n: this.limits.maxKeys }, start)
      this.blank()
      if (this.text[this.at] !== ':') this.failHere('colonExpected')
      this.at++
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
    if (++this.depth > this.limits.maxDepth) this.fail({ reason: 'tooDeep', n: this.limits.maxDepth })
    this.at++
  }

  /** Advances past a comma to the next member, or past the closing bracket. */
  private ends(bracket: string, first: boolean): boolean {
    this.blank()
    if (this.text[this.at] === bracket) {
      this.at++
      return true
    }
    if (first) return false
    if (this.text[this.at] === undefined) this.fail({ reason: 'incomplete' })
    if (this.text[this.at] !== ',') this.fail({ reason: 'moreExpected', bracket })
    this.at++
    this.blank()
    if (this.text[this.at] === bracket) this.fail({ reason: 'commaAtEnd' })
    return false
  }

  private string(): string {
    const opening = this.at++
    let hasEscape = false
    for (;;) {
      this.at += this.match(PLAIN).length
      const next = this.text[this.at]
      if (next === '"') break
      if (next === undefined) this.fail({ reason: 'stringOpen' }, opening)
      if (next !== '\\') this.fail({ reason: 'stringControl' })
      const escape = this.match(ESCAPE)
      if (escape === '') this.fail({ reason: 'stringEscape' })
      hasEscape = true
      this.at += escape.length
    }
    const raw = this.text.slice(opening + 1, this.at++)
    const value = hasEscape ? String(JSON.parse(`"${raw}"`)) : raw
    if (hasEscape && value.includes('\0')) this.fail({ reason: 'nul' }, opening)
    if (!value.isWellFormed()) this.fail({ reason: 'surrogate' }, opening)
    const { maxStringBytes } = this.limits
    if (value.length * 3 > maxStringBytes && utf8Length(value) > maxStringBytes)
      this.fail({ reason: 'stringTooLong', n: maxStringBytes }, opening)
    return value
  }

  private number(): number {
    const start = this.at
    const lexeme = this.match(NUMBER)
    if (lexeme === '') this.failHere('valueExpected')
    this.at += lexeme.length
    const value = Number(lexeme)
    if (!Number.isFinite(value)) this.fail({ reason: 'numberTooLarge' }, start)
    if (!isExactNumber(lexeme)) this.fail({ reason: 'numberChanges' }, start)
    return value
  }

  private word<Value extends JsonValue>(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.at)) this.failHere('valueExpected')
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

  /** Something else is expected here; at the end of the text, the text is incomplete. */
  private failHere(reason: 'keyExpected' | 'colonExpected' | 'valueExpected'): never {
    return this.fail({ reason: this.at < this.text.length ? reason : 'incomplete' })
  }

  /** @param start Where the wrong part begins, if it has been read; otherwise it is the next character. */
  private fail(problem: JsonTextProblem, start = this.at): never {
    const end = start === this.at ? Math.min(start + 1, this.text.length) : this.at
    throw new StrictJsonError(problem, pointerTo(...this.path).toWellFormed(), placeIn(this.text, start, end))
  }
}

/** The bytes that a well-formed text takes in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // half of a pair: two of them take four bytes
    if (code > 0x7f) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
  }
  return bytes
}
