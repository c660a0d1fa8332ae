import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  formatLocator,
  isKey,
  isPropertyName,
  parseLocator,
  RESOURCE_KINDS,
  type LocatorParts,
} from './locator.ts'
import { ResourceLocator } from './keys.ts'

const allowed = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-']
const segment = fc
  .string({ unit: fc.constantFrom(...allowed), minLength: 1, maxLength: 128 })
  .filter((text) => text !== '.' && text !== '..')
const parts: fc.Arbitrary<LocatorParts> = fc.record(
  { environmentKey: segment, bundleId: segment, kind: fc.constantFrom(...RESOURCE_KINDS), name: segment },
  { noNullPrototype: true },
)

test('formatting and parsing a locator are inverse', () => {
  fc.assert(
    fc.property(parts, (whole) => {
      assert.deepEqual(parseLocator(formatLocator(whole)), whole)
    }),
  )
})

test('every parsed locator is formatted back byte for byte', () => {
  const near = fc.string({ unit: fc.constantFrom(...allowed, '/', '%', ' ', 'MODULE', 'é'), maxLength: 40 })
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (text) => {
      const read = parseLocator(text)
      assert.ok(read === null || formatLocator(read) === text)
      assert.equal(ResourceLocator.safeParse(text).success, read !== null)
    }),
  )
})

const long = 'x'.repeat(128)
for (const text of [
  'env/bundle/MODULE/name',
  'e/b/GATEWAY/n',
  'e/b/AGENT/n',
  'e/b/TIMER/n',
  `${long}/${long}/MODULE/${long}`,
  'e/.../MODULE/.a',
  '~/_/MODULE/-',
])
  test(`${text.slice(0, 40)} is a locator`, () => assert.notEqual(parseLocator(text), null))

const refused: Record<string, string> = {
  'three segments': 'e/b/MODULE',
  'five segments': 'e/b/MODULE/n/m',
  'a leading slash': '/e/b/MODULE/n',
  'a trailing slash': 'e/b/MODULE/n/',
  'an empty segment': 'e//MODULE/n',
  'an unknown kind': 'e/b/PLUGIN/n',
  'a kind in lower case': 'e/b/module/n',
  'a dot': './b/MODULE/n',
  'two dots': 'e/../MODULE/n',
  'two dots as its name': 'e/b/MODULE/..',
  'a segment of 129 characters': `${long}x/b/MODULE/n`,
  'percent encoding': 'e/b/MODULE/%6e',
  'an encoded slash': 'e/b%2FMODULE/n',
  'a leading space': ' e/b/MODULE/n',
  'a trailing space': 'e/b/MODULE/n ',
  'a line feed': 'e/b/MODULE/n\n',
  'another script': 'e/b/MODULE/nаme',
  'a full-width letter': 'e/b/MODULE/ｎ',
  'a NUL': 'e/b/MODULE/n\0',
  'a backslash': 'e\\b\\MODULE\\n',
  nothing: '',
}
for (const [what, text] of Object.entries(refused))
  test(`rejects ${what}`, () => assert.equal(parseLocator(text), null))

test('keys are compared byte for byte', () => {
  assert.notDeepEqual(parseLocator('e/b/MODULE/Name'), parseLocator('e/b/MODULE/name'))
})

test('keys', () => {
  for (const text of ['a', long, '...', '.a', 'A.z_0~9-']) assert.ok(isKey(text), text)
  for (const text of ['', '.', '..', `${long}x`, 'a b', 'a/b', 'a\n', 'ä', '%20'])
    assert.ok(!isKey(text), text)
})

test('property names', () => {
  for (const text of [
    'a',
    '_',
    'Z9',
    'a.b-c_d',
    'x'.repeat(128),
    'instanceRefProperty',
    'constructors',
    '__proto',
  ])
    assert.ok(isPropertyName(text), text)
  for (const text of [
    '',
    '9a',
    '.a',
    '-a',
    'a~',
    'a b',
    'x'.repeat(129),
    'a\n',
    'é',
    '__proto__',
    'constructor',
    'prototype',
  ])
    assert.ok(!isPropertyName(text), text)
})
