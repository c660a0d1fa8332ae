import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isExactNumber } from '#contract/json-schema/json.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { BODY_DEPTH_MAX } from '#contract/protocol/limits.ts'
import { translator } from '../../i18n/testing.ts'
import { fileErrorText } from './file-error.ts'
import { readYaml, writeYaml } from './yaml.ts'
import { boundWork } from '../../../lab/verification/bound-work.ts'

/** The refusal of a text as `reason line:column`, or its value. */
function read(text: string): unknown {
  const { value, error } = readYaml(text)
  if (error === null) return value
  const { problem, place } = error
  return `${problem.reason} ${place.line}:${place.column}`
}

/** Texts that some reader of YAML takes for something else, and texts with unusual characters. */
const ODD_TEXTS = [
  'yes', 'No', 'on', 'y', '~', 'null', 'Null', 'true', '.inf', '.NaN', '010', '0x1F', '0o17', '1e3', '1_000', '12:30:45',
  '2020-01-01', '2020-01-01T00:00:00Z', '<<', '=', '-', '--- ', '...', '%YAML', '@a', '`a', '!tag', '&a', '*a', '? a', ': ',
  'a: b', 'a #b', '#a', '[', '{', ']', ',', '|', '>', "'", '"', '\\', ' a', 'a ', '\ta', 'a\t', '\n', 'a\n', '\na', 'a\n\n',
  ' a\n b', 'a\r\nb', 'a\rb', '\r', '\u0085', 'a\u0085b', '\u2028', 'a\u2029b', '\ufeff', '\ufeffa', 'a\ufeff', '\u200b', '\u202e',
  '\u00ad', '\u007f', '\u0001', '\u001b[31m', '\b', '😀', 'é', 'e\u0301', '漢字', '', ' ', '\n \n', 'a\n  b\n c\n', '- a\n- b', '1', '1.0',
  '+1', '.5', '-0', '0', 'constructor', 'toString', 'x'.repeat(2000), ('word '.repeat(50)), 'a\\nb', '${a}', '{{ a }}',
] // prettier-ignore

const isAccepted = (text: string) => text.isWellFormed() && !text.includes('\0')
const anyText = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: 'binary' }).filter(isAccepted),
  fc.array(fc.constantFrom(...ODD_TEXTS), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '#', ':', '-', "'", '"', '\\', '\r', '\u0085', '\u2028', '\ufeff', '😀') }), // prettier-ignore
)
/** Every value that the API accepts. */
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(
      anyText.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 5 },
    ),
  ),
}))

describe('what the console writes', () => {
  it('comes back unchanged from YAML, with its keys in order', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = writeYaml({ value })
        const again = read(text)
        assert.equal(JSON.stringify(again), JSON.stringify({ value }), text)
      }),
      { numRuns: 3000 },
    )
  })

  it('comes back unchanged from JSON, with its keys in order', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = JSON.stringify({ value }, null, 2)
        assert.equal(JSON.stringify(parseStrictJson(text)), JSON.stringify({ value }))
      }),
      { numRuns: 2000 },
    )
  })

  for (const text of ODD_TEXTS)
    it(`keeps the text ${JSON.stringify(text.slice(0, 30))} as a value, a key and an item`, () => {
      const value = { [text]: text, items: [text, { [text]: [text] }], last: { a: text } }
      assert.deepEqual(read(writeYaml(value)), value)
    })

  it('escapes what cannot be seen, and quotes what YAML 1.1 reads as something else', () => {
    assert.equal(writeYaml({ a: '\ufeffx\u2028' }), 'a: "\\ufeffx\\u2028"\n')
    assert.equal(writeYaml({ yes: 'on', b: '010' }), '"yes": "on"\nb: "010"\n')
  })
})

describe('readYaml', () => {
  for (const [text, expected] of [
    ['a: 1\nb: !!set {x, y}', 'tag 2:4'],
    ['a: !!omap [a: 1]', 'tag 1:4'],
    ['a: !!binary aGVsbG8=', 'tag 1:4'],
    ['a: !!timestamp 2020-01-01', 'tag 1:4'],
    ['a: !!js/function "x"', 'tag 1:4'],
    ['a:\n  - !Ref foo', 'tag 2:5'],
    ['a: ! 12', 'tag 1:6'],
    ['a: &x [1]\nb: *x', 'alias 2:4'],
    ['a: &x {b: 1}\nc:\n  <<: *x', 'merge 3:3'],
    ['null: 1', 'keyNotText 1:1'],
    ['a: 1\n~: 2', 'keyNotText 2:1'],
    ['a:\n  : 1', 'keyNotText 2:3'],
    ['1: a', 'keyNotText 1:1'],
    ['true: a', 'keyNotText 1:1'],
    ['? {a: 1}\n: b', 'keyNotText 1:3'],
    ['a: 1\nb: 2\na: 3', 'keyRepeated 3:1'],
    ['{a: 1, "a": 2}', 'keyRepeated 1:8'],
    ['a:\n  __proto__: 1', 'keyReserved 2:3'],
    ['a: "x\\0y"', 'nul 1:4'],
    ['a: "\\ud800"', 'surrogate 1:4'],
    ['"\\udc00": 1', 'surrogate 1:1'],
    ['a: .inf', 'notANumber 1:4'],
    ['a: -.INF', 'notANumber 1:4'],
    ['a: .nan', 'notANumber 1:4'],
    ['a: 010', 'leadingZero 1:4'],
    ['a: 1e400', 'numberTooLarge 1:4'],
    ['a: 9007199254740993', 'numberChanges 1:4'],
    ['a: +9007199254740993', 'numberChanges 1:4'],
    ['a: 9007199254740992.5', 'numberChanges 1:4'],
    ['a: 18446744073709551616', 'numberChanges 1:4'],
    ['a: 0xFFFFFFFFFFFFFFFF', 'numberChanges 1:4'],
    ['a: 0o7777777777777777777777', 'numberChanges 1:4'],
    ['a: 1e-400', 'numberChanges 1:4'],
    ['a: !!float 0.1234567890123456789', 'numberChanges 1:12'],
    ['a: 1\n---\nb: 2', 'severalDocuments 2:1'],
    ['%YAML 1.1\n---\na: yes', 'version 1:1'],
    ['', 'empty 1:1'],
    ['# nothing', 'empty 1:10'],
    ['a: [', 'indent 1:5'],
    ['a:\n\tb: 1', 'tabIndent 2:1'],
    ['a: b: c', 'notYaml 1:4'],
    ['%nonsense', 'empty 1:10'],
  ] as const)
    it(`refuses ${JSON.stringify(text)}: ${expected}`, () => assert.equal(read(text), expected))

  for (const [text, expected] of [
    [
      'a: 9007199254740991\nb: -7\nc: 0x10\nd: 1.5\ne: 1e20',
      { a: 9007199254740991, b: -7, c: 16, d: 1.5, e: 1e20 },
    ],
    ['[0o17, +5, .5, 5., -.5, 5.e3, 1.0, -0]', [15, 5, 0.5, 5, -0.5, 5000, 1, -0]],
    [
      'a: !!str 12\nb: !!int "12"\nc: !!map {}\nd: !!seq []\ne: !!null\nf: !!bool true',
      { a: '12', b: 12, c: {}, d: [], e: null, f: true },
    ],
    ['a: yes\nb: 2020-01-01\nc: 12:30\nd: 1_000', { a: 'yes', b: '2020-01-01', c: '12:30', d: '1_000' }],
    ['%YAML 1.2\n---\na: |\n  x\n  y\nb: >-\n  x\n  y\n', { a: 'x\ny\n', b: 'x y' }],
    ['"<<": 1\na: &anchor 2 # a comment', { '<<': 1, a: 2 }],
    ['a: "\\ud83d\\ude00"', { a: '😀' }],
    ['{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
  ] as const)
    // prettier-ignore
    it(`reads ${JSON.stringify(text).slice(0, 60)}`, () => assert.deepEqual(read(text), expected))

  it('reads a number if and only if JSON would keep it', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(
        digits.map((text) => text.replace(/^0+(?=\d)/, '')),
        fc.option(digits, { nil: null }),
        fc.option(fc.integer({ min: -330, max: 310 }), { nil: null }),
        (whole, fraction, exponent) => {
          const number = `${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`
          assert.equal(readYaml(`a: ${number}`).error === null, isExactNumber(number), number)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('says in both languages what is wrong and what to do', async () => {
    for (const text of [
      'a: !!set {x}',
      'a: *x',
      'a: 010',
      '1: a',
      'a: 9007199254740993',
      'a: 1\na: 2',
      '',
      'a: [',
    ]) {
      const { error } = readYaml(text)
      assert.ok(error !== null)
      assert.match(
        fileErrorText(error, await translator('en')),
        /^Line 1, column \d+: .{15,}\.$|^Line 2, column 1: /,
      )
      assert.match(fileErrorText(error, await translator('zh')), /^第 \d 行第 \d 列：\p{sc=Han}.{3,}。$/u)
    }
  })

  it('stops where the nesting is too deep', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    assert.equal(typeof read(nested(BODY_DEPTH_MAX)), 'object')
    assert.match(String(read(nested(BODY_DEPTH_MAX + 1))), /^tooDeep 1:/)
    const endWork = boundWork(10)
    for (const text of [
      '['.repeat(1_000_000),
      '{a: '.repeat(1_000_000),
      '- '.repeat(1_000_000),
      '? '.repeat(1_000_000),
      Array.from({ length: 3000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
      Array.from({ length: 3000 }, (_, level) => `${' '.repeat(level)}-`).join('\n'),
    ])
      assert.match(String(read(text)), /^tooDeep /, text.slice(0, 10))
    // without the limit, each takes minutes
    endWork()
  })

  it('takes time in proportion to the number of keys', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `key${index}: 1`).join('\n')
    const endWork = boundWork(10)
    assert.equal(Object.keys(read(text) as object).length, 20_000)
    endWork()
  })
})
