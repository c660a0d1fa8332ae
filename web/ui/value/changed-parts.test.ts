import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedParts } from './changed-parts.ts'

test('whole words are marked, and what two texts have in common is not', () => {
  assert.deepEqual(changedParts('tenant a is locked', 'tenant bc is locked'), {
    start: 'tenant ',
    before: 'a',
    after: 'bc',
    end: ' is locked',
  })
  assert.deepEqual(changedParts('aa', 'aaa'), { start: '', before: 'aa', after: 'aaa', end: '' })
  assert.deepEqual(changedParts('same', 'same'), { start: 'same', before: '', after: '', end: '' })
  assert.deepEqual(changedParts('smtp.example.com', 'smtp.elsewhere.example.com'), {
    start: 'smtp.',
    before: 'example',
    after: 'elsewhere.example',
    end: '.com',
  })
  assert.deepEqual(changedParts('端口为二五', '端口为八五'), {
    start: '端口为',
    before: '二',
    after: '八',
    end: '五',
  })
  assert.deepEqual(changedParts('a 😀 b', 'a 😁 b'), { start: 'a ', before: '😀', after: '😁', end: ' b' })
})
