import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pointerSegments, pointerTo } from './json.ts'

test('a pointer leads back to its segments', () => {
  for (const segments of [[], [''], ['a', '0'], ['a/b', '~', '~1', '~01', '/']])
    assert.deepEqual(pointerSegments(pointerTo(...segments)), segments)
})

test('a pointer is written as RFC 6901 writes it', () => {
  assert.equal(pointerTo(), '')
  assert.equal(pointerTo('a/b', 'm~n', 2), '/a~1b/m~0n/2')
})
