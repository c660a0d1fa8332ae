import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { BODY_DEPTH_MAX, BODY_KEYS_MAX } from '#contract/protocol/limits.ts'
import { STRICT_JSON_LIMITS, StrictJsonScanner } from './strict-json-scanner.ts'
import { readStrictJson, StrictJsonError } from './strict-json.ts'
import type { StrictJsonLimits } from './strict-json.ts'

const refusal = (text: string | Uint8Array, limits?: Partial<StrictJsonLimits>): string => {
  try {
    readStrictJson(text, limits)
  } catch (error) {
    assert.ok(error instanceof StrictJsonError)
    return error.message
  }
  return 'accepted'
}

describe('readStrictJson', () => {
  it('reads every JSON value as JSON.parse does', () => {
    const isTaken = (value: unknown): boolean =>
      !/\\u0000|"__proto__":|\\ud[89a-f]/.test(JSON.stringify(value))
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 8 }).filter(isTaken),
        fc.constantFrom(0, 1, '\t'),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent)
          assert.deepEqual(readStrictJson(text), JSON.parse(text))
          assert.deepEqual(readStrictJson(Buffer.from(text)), JSON.parse(text))
        },
      ),
    )
  })

  it('rejects every text that JSON.parse rejects', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"a"',
      ':',
      ',',
      '1',
      '-',
      '.5',
      'e3',
      '01',
      'true',
      'nul',
      '"\\x"',
      ' ',
      '"\n"',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        if (!isJson) assert.notEqual(refusal(text), 'accepted', text)
      }),
      { numRuns: 5000 },
    )
  })

  it('the fast path accepts nothing that the scanner rejects', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"a"',
      '"b"',
      '"\\""',
      '"\\\\"',
      '":"',
      '"a:"',
      ':',
      ',',
      '1',
      '9007199254740993',
      '1e400',
      '"__proto__"',
      '"\\u0000"',
      '"\\ud800"',
      '"\\u0061"',
      '"\ud800"',
      '{}',
      '[]',
      '{"a":1}',
      ',"a":2',
      'null',
    )
    const slowly = (text: string): unknown => {
      try {
        return new StrictJsonScanner(text, { ...STRICT_JSON_LIMITS, maxDepth: 4, maxKeys: 3 }).document()
      } catch (error) {
        return (error as Error).message
      }
    }
    const both = (text: string): void => {
      let quick: unknown
      try {
        quick = readStrictJson(text, { maxDepth: 4, maxKeys: 3 })
      } catch (error) {
        quick = (error as Error).message
      }
      assert.deepEqual(quick, slowly(text), text)
    }
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => both(parts.join(''))),
      { numRuns: 20_000 },
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => both(JSON.stringify(value))),
      { numRuns: 2000 },
    )
    const members = fc.array(
      fc.tuple(fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"'), fc.constantFrom('1', '{}', '"x:"')),
    )
    fc.assert(
      fc.property(members, (list) => both(`{${list.map(([key, value]) => `${key}:${value}`).join(',')}}`)),
      { numRuns: 5000 },
    )
  })

  it('rejects what parsers read differently, and reports where', () => {
    assert.equal(refusal('{"a":{"b":1,"b":2}}'), 'The key is duplicated in one object (at /a/b)')
    assert.match(refusal('{"a":1,"\\u0061":2}'), /duplicated/)
    assert.match(refusal('[{"__proto__":{}}]'), /"__proto__" is not allowed/)
    assert.match(refusal('["a\\u0000b"]'), /NUL/)
    assert.match(refusal('["\\ud800"]'), /surrogate/)
    assert.match(refusal('{"\\udc00":1}'), /surrogate/)
    assert.match(refusal(Buffer.from([0x22, 0xff, 0x22])), /UTF-8/)
    assert.match(refusal('\ufeff{}'), /value is expected/)
    assert.match(refusal('[9007199254740993]'), /represented exactly \(at \/0\)/)
    assert.match(refusal('12345678901234567890123'), /represented exactly/)
    assert.match(refusal('1e999'), /too large/)
    assert.match(refusal(''), /incomplete/)
    assert.match(refusal('{} {}'), /after the end/)
    assert.match(refusal('[1,]'), /before a closing bracket/)
    assert.equal(refusal('{"a/b":[true,01]}'), 'A comma or "]" is expected (at /a~1b/1)'.replace('/1)', ')'))
  })

  it('accepts numbers that lose no digits', () => {
    assert.deepEqual(
      readStrictJson('[9007199254740991,-9007199254740992,34023856717831150,1.0,1e3,-0.5]'),
      [9007199254740991, -9007199254740992, 34023856717831150, 1, 1000, -0.5],
    )
  })

  it('enforces the limits', () => {
    const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    assert.equal(refusal(lists(BODY_DEPTH_MAX)), 'accepted')
    assert.match(refusal(lists(BODY_DEPTH_MAX + 1)), /deeper than 160/)
    assert.match(refusal('['.repeat(1_000_000)), /deeper than 160/)
    const object = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, 0])))
    assert.equal(refusal(object(BODY_KEYS_MAX)), 'accepted')
    assert.match(refusal(object(BODY_KEYS_MAX + 1)), /more than 50000 keys/)
    assert.equal(refusal(object(BODY_KEYS_MAX + 1), { maxKeys: 60_000 }), 'accepted')
    assert.equal(refusal(`"${'x'.repeat(256 * 1024)}"`), 'accepted')
    assert.match(refusal(`"${'é'.repeat(128 * 1024 + 1)}"`), /longer than 262144 bytes/)
  })
})
