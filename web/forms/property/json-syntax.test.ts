import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { findJsonPlaces, findSyntaxError, lineAt } from './json-syntax.ts'

test('the place of a syntax error is the first character that cannot be there', () => {
  for (const [text, line, column] of [
    ['{"a": x}', 1, 7],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": 1,}', 1, 9],
    ['[1, 2', 1, 6],
    ['{"a" 1}', 1, 6],
    ['[1}', 1, 3],
    ['1 2', 1, 3],
    ['', 1, 1],
    ['01', 1, 1],
  ] as const)
    assert.deepEqual(findSyntaxError(text), { line, column }, text)
})

test('a text that is cut off has its error at the end', () => {
  fc.assert(
    fc.property(
      fc.json().filter((text) => text.startsWith('{') || text.startsWith('[')),
      (text) => {
        const cut = text.slice(0, -1)
        assert.deepEqual(findSyntaxError(cut), { line: 1, column: cut.length + 1 })
      },
    ),
  )
})

test('the place of a value is its text, whatever is around it', () => {
  const value = { 'a/b': [1, { 'c~': 'x"y' }], d: {}, e: [[], 'last'] }
  const pointers = {
    '/a~1b/1/c~0': 'x"y',
    '/a~1b/0': 1,
    '/a~1b': value['a/b'],
    '/d': {},
    '/e/1': 'last',
    '': value,
  }
  for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
    const places = findJsonPlaces(text, Object.keys(pointers))
    for (const [pointer, expected] of Object.entries(pointers)) {
      const place = places.get(pointer)
      assert.deepEqual(JSON.parse(text.slice(place?.from, place?.to)), expected, pointer)
      assert.equal(place?.isExact, true)
    }
  }
})

test('a pointer to nothing has the place of the value around it', () => {
  const text = '{"a": {"b": 1}}'
  assert.deepEqual(findJsonPlaces(text, ['/a/x/y']).get('/a/x/y'), { from: 6, to: 14, isExact: false })
})

test('before a syntax error, places are found', () => {
  const places = findJsonPlaces('{"a": 1, "b": {"c": 2, oops', ['/a', '/b/c', '/b/d'])
  assert.deepEqual(
    [...places.values()].map(({ from, isExact }) => [from, isExact]),
    [
      [6, true],
      [20, true],
      [14, false],
    ],
  )
})

test('lines count from 1', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((offset) => lineAt('a\nb\n', offset)),
    [1, 1, 2, 2],
  )
})
