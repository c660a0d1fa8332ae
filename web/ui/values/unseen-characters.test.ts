import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { looksLike, partsOf, spelledOut } from './unseen-characters.ts'

/** The parts as one text, signs in brackets. */
const shown = (parts: ReturnType<typeof partsOf>) =>
  parts.map(({ text, sign }) => (sign === null ? text : `[${sign}]`)).join('')

test('line breaks and what cannot be seen have a sign', () => {
  assert.equal(shown(partsOf('a\nb\r\nc\rd\te')), 'a[↵]b[CR↵]c[CR]d[⇥]e')
  assert.equal(shown(partsOf('\r\n\r\n\n')), '[CR↵][CR↵][↵]')
  assert.equal(shown(partsOf(' a b  c \n d')), '[·]a b[··]c[·][↵][·]d')
  assert.equal(shown(partsOf('😀 😀')), '😀 😀')
  for (const code of [
    0x00, 0x0b, 0x85, 0xa0, 0xad, 0x61c, 0x115f, 0x180e, 0x2000, 0x2009, 0x200b, 0x200c, 0x200d, 0x200e,
    0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x202f, 0x205f, 0x2060, 0x2066, 0x2069, 0x2800, 0x3000, 0x3164,
    0xfe0f, 0xfeff, 0xe0001, 0xe000, 0xd800,
  ]) {
    const name = code.toString(16).toUpperCase().padStart(4, '0')
    assert.equal(shown(partsOf(`a${String.fromCodePoint(code)}b`)), `a[U+${name}]b`)
  }
})

test('the layout of JSON has no sign, and what is in its texts has', () => {
  const json = JSON.stringify({ key: ['a  b', 'c\u00a0d'] }, null, 2)
  assert.equal(
    shown(partsOf(json, { isJson: true })),
    json.replace('  b', '[··]b').replace('\u00a0', '[U+00A0]'),
  )
})

test('a cut text has the signs of its part', () => {
  assert.equal(shown(partsOf('a  \u00a0\u00a0b', { from: 2, to: 4 })), '[·][U+00A0]')
})

test('no two texts look the same', () => {
  const some = fc
    .array(fc.constantFrom('a', 'b', ' ', '\n', '\r', '\t', '\u00a0', '\u200b', '\u202e', '\u2028', '😀'), {
      maxLength: 6,
    })
    .map((letters) => letters.join(''))
  fc.assert(
    fc.property(some, some, (one, other) => {
      assert.equal(
        partsOf(one)
          .map(({ text }) => text)
          .join(''),
        one,
      )
      if (one !== other) assert.notEqual(shown(partsOf(one)), shown(partsOf(other)))
    }),
    { numRuns: 5_000 },
  )
})

test('characters that look like others are spelled out', () => {
  for (const [one, other] of [
    ['caf\u00e9', 'cafe\u0301'],
    ['p\u0430y', 'pay'],
    ['\u2013p 80', '-p 80'],
    ['\uff11', '1'],
  ] as const)
    assert.ok(looksLike(one, other), one)
  for (const [one, other] of [
    ['a', 'b'],
    ['端口', '端口'],
    ['端口', '主机'],
    ['a', 'a'],
  ] as const)
    assert.ok(!looksLike(one, other), one)
  assert.equal(shown(spelledOut('cafe\u0301s ')), 'cafe\u0301[U+0301]s[·]')
})
