import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../json-schema/json.ts'
import { findMasks, isMask, MASK } from './data.ts'
import { boundWork } from '../../lab/verification/bound-work.ts'

test('our own mask and every text of mask characters only are masks', () => {
  for (const text of [
    MASK,
    `${MASK}\n`,
    ' •',
    '*',
    '********',
    '* * * *',
    '●●●',
    '∙·⋅',
    '＊＊＊',
    '••••****',
  ])
    assert.ok(isMask(text), JSON.stringify(text))
})

test('an empty text or one with any other character is not a mask', () => {
  for (const text of ['', ' ', '\n', 'x', 'xxxx', '...', '----', '*.example.com', `${MASK}a`, 'p••', '0'])
    assert.ok(!isMask(text), JSON.stringify(text))
})

test('a long text is checked in linear time', () => {
  const endWork = boundWork(0.5)
  assert.ok(!isMask(`${' *'.repeat(500_000)}a`))
  endWork()
})

test('masks are found in values at any depth, and not in keys', () => {
  let deep: JsonValue = MASK
  for (let depth = 0; depth < 20_000; depth++) deep = [deep]
  assert.equal(findMasks(deep).length, 1)
  assert.deepEqual(findMasks({ '*': 'every host', [MASK]: 1 }), [])
})
