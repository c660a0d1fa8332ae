import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findJsonPlaces, lineAt } from './json-syntax.ts'

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
