import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { StrictJsonError } from './json-text-problem.ts'
import { BODY_DEPTH_MAX, BODY_KEYS_MAX, STRICT_JSON_LIMITS, type StrictJsonLimits } from './limits.ts'
import { StrictJsonScanner, utf8Length } from './strict-json-scanner.ts'
import { parseStrictJson, parseTrustedJson } from './strict-json.ts'

const refusal = (text: string, limits?: Partial<StrictJsonLimits>): string => {
  try {
    parseStrictJson(text, limits)
  } catch (error) {
    assert.ok(error instanceof StrictJsonError)
    return error.message
  }
  return 'accepted'
}

describe('parseStrictJson', () => {
  it('reads every JSON value as JSON.parse does', () => {
    const isTaken = (value: unknown): boolean =>
      !/\\u0000|"__proto__":|\\ud[89a-f]/.test(JSON.stringify(value))
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 8 }).filter(isTaken),
        fc.constantFrom(0, 1, '\t'),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent)
          assert.deepEqual(parseStrictJson(text), JSON.parse(text))
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
      '-0.1234567890123456789',
      '34023856717831150',
      '1e-400',
      '9007199254740992.5',
      '1e2',
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
        quick = parseStrictJson(text, { maxDepth: 4, maxKeys: 3 })
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

  it('reads a key with an escape, whatever key an earlier object had in its place', () => {
    for (const key of ['\\', '\\\\', 'a\\'])
      for (const other of ['\t', '\n', '"', '/', 'a\t']) {
        const first = JSON.stringify({ a: 1, [key]: 2 })
        const second = JSON.stringify({ a: 1, [other]: 3 })
        for (const parse of [parseStrictJson, parseTrustedJson])
          assert.equal(JSON.stringify([first, second].map((text) => parse(text))), `[${first},${second}]`)
      }
  })

  it('is as JSON.parse for other texts that are trusted', () => {
    const texts = [
      '{"a\\"":"b\\\\", "c":":"}',
      '{"\\n":"\\ud800"}',
      ' {"\\u0000" :1}',
      '{"a":"\\"","b":{}}',
      '"\\":"',
    ]
    for (const text of texts) assert.deepEqual(parseTrustedJson(text), JSON.parse(text))
    assert.throws(() => parseTrustedJson('{"\\t":'), SyntaxError)
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value)
        assert.equal(JSON.stringify(parseTrustedJson(text)), text)
      }),
    )
  })

  it('rejects what parsers read differently, and reports where', () => {
    assert.equal(
      refusal('{"a":{"b":1,"b":2}}'),
      'The key is duplicated in one object (line 1, column 13, at /a/b)',
    )
    assert.match(refusal('{"a":1,"\\u0061":2}'), /duplicated/)
    assert.match(refusal('[{"__proto__":{}}]'), /"__proto__" is not allowed/)
    assert.match(refusal('["a\\u0000b"]'), /NUL/)
    assert.match(refusal('["\\ud800"]'), /surrogate/)
    assert.match(refusal('{"\\udc00":1}'), /surrogate/)
    assert.match(refusal('\ufeff{}'), /value is expected/)
    assert.match(refusal('1e999'), /too large/)
    assert.match(refusal(''), /incomplete/)
    assert.match(refusal('{} {}'), /after the end/)
    assert.match(refusal('[1,]'), /before a closing bracket/)
    assert.equal(refusal('{"a/b":[true,01]}'), 'A comma or "]" is expected (line 1, column 15, at /a~1b)')
  })

  it('accepts numbers that are written back equal', () => {
    assert.deepEqual(
      parseStrictJson('[9007199254740991,-9007199254740992,34023856717831150,1.0,1e3,-0.5,100,1e2]'),
      [9007199254740991, -9007199254740992, 34023856717831150, 1, 1000, -0.5, 100, 100],
    )
  })

  const changed = [
    '9007199254740993',
    '9007199254740993.0',
    '9.007199254740993e15',
    '9007199254740992.5',
    '18446744073709551616',
    '1152921504606846976',
    '12345678901234567890.0',
    '12345678901234567891e0',
    '12345678901234567890123',
    '0.1234567890123456789',
    '1e-400',
  ]
  for (const number of changed)
    it(`refuses ${number}, which would be written back as another number`, () => {
      for (const text of [number, `-${number}`, `[1, ${number}]`, `{"a":${number}}`])
        assert.match(refusal(text), /cannot be represented exactly/, text)
    })

  it('says where a number begins', () => {
    assert.match(refusal('{\n  "a": [1,\n    9007199254740993]\n}'), /\(line 3, column 5, at \/a\/1\)$/)
    assert.match(refusal('[1e400]'), /too large; .* \(line 1, column 2, at \/0\)$/)
  })

  it('gives the part of the text that is wrong', () => {
    const wrong = (text: string): string => {
      try {
        parseStrictJson(text)
      } catch (error) {
        assert.ok(error instanceof StrictJsonError)
        return text.slice(error.place.from, error.place.to)
      }
      return 'accepted'
    }
    assert.equal(wrong('{"a":1,\n"a":2}'), '"a"')
    assert.equal(wrong('[1, 1e-400 ]'), '1e-400')
    assert.equal(wrong('["\\ud800" ]'), '"\\ud800"')
    assert.equal(wrong('{"a" 1}'), '1')
    assert.equal(wrong('{"a":'), '')
    assert.equal(wrong('{a:1}'), 'a')
    assert.equal(wrong('[1] 2'), '2')
  })

  it('counts the bytes of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(utf8Length(text), Buffer.byteLength(text))
      }),
    )
  })

  it('enforces the limits (D07)', () => {
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
