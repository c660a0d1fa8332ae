import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditSearch } from './audit.ts'
import { configurationSearch } from './configuration.ts'
import { matchPage, pages } from './pages.ts'
import { operationsSearch } from './operations.ts'
import { keepNotUnderstood, notUnderstood, rawSearch } from './search-params.ts'

const operations = (query: string) => {
  const raw = rawSearch(new URLSearchParams(query))
  return { search: operationsSearch(raw), others: notUnderstood(operationsSearch, raw) }
}

test('a repeated parameter is a list where the filter takes one', () => {
  for (const query of [
    'state=FAILED&state=WAITING',
    'state=WAITING,FAILED',
    'state=FAILED,WAITING&state=FAILED',
  ]) {
    const { search, others } = operations(query)
    assert.deepEqual(search.state?.split(',').toSorted(), ['FAILED', 'WAITING'], query)
    assert.deepEqual(others, [], query)
  }
})

test('what is not understood is named, with the whole value', () => {
  for (const [query, name, value] of [
    ['state=NOPE', 'state', 'NOPE'],
    ['state=FAILED,NOPE', 'state', 'FAILED,NOPE'],
    ['state=FAILED&state=NOPE', 'state', 'FAILED, NOPE'],
    ['state=failed', 'state', 'failed'],
    ['from=yesterday', 'from', 'yesterday'],
    ['since=yesterday', 'since', 'yesterday'],
    ['since=2026-13-01T00:00:00.000Z', 'since', '2026-13-01T00:00:00.000Z'],
    ['serviceId=x', 'serviceId', 'x'],
    ['serviceId=', 'serviceId', ''],
    ['pluginId=a&pluginId=b', 'pluginId', 'a, b'],
    ['workspaceId=1e3', 'workspaceId', '1e3'],
    ['workspaceId=007', 'workspaceId', '007'],
    ['workspaceId=9007199254740993', 'workspaceId', '9007199254740993'],
    ['sort=NOPE', 'sort', 'NOPE'],
    [`q=${'x'.repeat(600)}`, 'q', 'x'.repeat(600)],
    ['__proto__=x', '__proto__', 'x'],
    ['constructor=x', 'constructor', 'x'],
  ] as const)
    assert.deepEqual(operations(query).others, [{ name, value }], query)
})

test('what is understood, empty, or added by another system is not named', () => {
  for (const query of [
    '',
    'state=&q=',
    'state=FAILED&q=a,b&workspaceId=0&since=PT24H&until=2026-11-22T08:00:00.000Z',
    'view=causes&sort=createdAt&cursor=abc',
    'utm_source=jira&atlOrigin=abc&state=FAILED',
  ])
    assert.deepEqual(operations(query).others, [], query)
  assert.deepEqual(notUnderstood(operationsSearch, { workspaceId: 42, q: '1e3' }), [])
})

test('a page that is not a list names only its filters', () => {
  const only = ['since', 'show']
  const raw = { since: 'PT24H', show: 'nope', tab: 'nope', other: 'x' }
  assert.deepEqual(
    notUnderstood(configurationSearch, raw, only).map(({ name }) => name),
    ['since', 'show'],
  )
  assert.deepEqual(notUnderstood(auditSearch, { since: 'PT24H' }), [{ name: 'since', value: 'PT24H' }])
})

test('a page with tabs names one that it does not have', () => {
  for (const path of [
    '/scopes/$env/$runtime/$workspace/configuration',
    '/installations/$id',
    '/plugins/$id',
    '/catalog/$env/$bundle/$version',
  ] as const) {
    const { search, filters } = pages[path]
    const namesOf = (raw: Record<string, unknown>) => notUnderstood(search, raw, filters)
    assert.deepEqual(namesOf({ tab: 'nope' }), [{ name: 'tab', value: 'nope' }], path)
    assert.deepEqual(namesOf({ other: 'x' }), [], path)
  }
  assert.deepEqual(notUnderstood(configurationSearch, { tab: 'history', show: 'set' }, ['tab', 'show']), [])
})

test('a route keeps what is not understood, unchanged, and what is', () => {
  const read = keepNotUnderstood(operationsSearch)
  const raw = { state: ['FAILED', 'NOPE'], q: 'x', bundleId: 'y', utm_source: 'z' }
  assert.deepEqual(read(raw), { state: ['FAILED', 'NOPE'], q: 'x', bundleId: 'y' })
  assert.deepEqual(read(read(raw)), read(raw))
})

test('a workspace has one address', () => {
  const page = (workspace: string) => matchPage(`/scopes/production/lab/${workspace}/configuration`)
  assert.equal(page('1000')?.params['workspace'], '1000')
  assert.equal(page('0')?.params['workspace'], '0')
  for (const other of ['1e3', '9007199254740993', '01', '-1', '1.0', '%zz', '0x10', '+1'])
    assert.equal(page(other), null, other)
})
