import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isViewSearch, viewParameters, viewSearch } from './saved-views.ts'

test('equal filters have equal search strings, without the position in the list', () => {
  const one = viewSearch({ state: 'FAILED', q: 'a b&c', cursor: 'WyJh', assignee: undefined })
  assert.equal(one, 'q=a%20b%26c&state=FAILED')
  assert.equal(viewSearch({ q: 'a b&c', state: 'FAILED' }), one)
  assert.deepEqual(viewParameters(one), { q: 'a b&c', state: 'FAILED' })
  assert.equal(viewSearch({}), '')
})

test('a view consists of filters that its page understands', () => {
  for (const search of [
    'state=FAILED',
    'state=WAITING,FAILED',
    'q=%E6%98%A8%E5%A4%A9&sort=createdAt',
    'workspaceId=7',
  ])
    assert.equal(isViewSearch('operations', search), true, search)
  for (const search of [
    '',
    'state=BROKEN',
    'state=FAILED,BROKEN',
    'state=FAILED&color=red',
    'state=FAILED&state=WAITING',
    'cursor=WyJh',
    'q=%E0%A4%A',
    '__proto__=%5Bobject%20Object%5D',
    'constructor=x',
    'claim=any',
  ])
    assert.equal(isViewSearch('operations', search), false, search)
  assert.equal(isViewSearch('installations', 'claim=any'), true)
})
