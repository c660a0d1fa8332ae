import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SCOPE } from '../testing/bundles.ts'
import { encodeCursor } from '../use-cases/paging.ts'
import { testHttp } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'

// A value that the database rejects must be refused earlier: a query never causes an internal error.

let http: TestHttp
const scope = `/scopes/${SCOPE.environmentKey}/${SCOPE.applicationRuntimeId}/${SCOPE.workspaceId}`
const NUL = '\0'
const ID = '0199f000-0000-7000-8000-000000000001'

before(async () => {
  http = await testHttp()
  const body = { values: { a: 1 }, version: 0 }
  const saved = await http.call(`${scope}/local-services/search`, { method: 'PUT', body })
  assert.equal(saved.errorCode, '0')
})
after(() => http.close())

async function refuses(path: string): Promise<void> {
  const { status, errorCode } = await http.call(path)
  assert.deepEqual([status, errorCode], [200, 'REQUEST_INVALID'], path)
}

describe('a query that the database would reject is refused', () => {
  for (const query of [
    'operations?q=%00',
    'operations?requestedBy=%00',
    'operations?errorCode=%00',
    'installations?q=a%00b',
    'services?q=%00',
    'plugins?q=%00',
    'bundles?q=%00',
    'audit?actor=%00',
  ]) {
    it(`with a NUL: ${query} (I01)`, () => refuses(`/${query}`))
  }

  for (const [list, values] of Object.entries({
    '/bundles': [NUL, 'a'],
    '/bundles/dev/crm/versions': [1, NUL],
    '/plugins': [NUL],
    '/services': [NUL],
    '/scopes': [NUL, 'a', 1],
    '/installations?sort=bundleId': [NUL, ID],
    [`${scope}/local-services`]: [NUL],
  })) {
    const mark = list.includes('?') ? '&' : '?'
    it(`with a NUL in the cursor of ${list}`, () => refuses(`${list}${mark}cursor=${encodeCursor(values)}`))
  }

  for (const query of ['operations?since', 'operations?until', 'audit?since', 'operations/counts?until']) {
    it(`with a year out of range: ${query}`, () => refuses(`/${query}=0000-01-01T00:00:00.000Z`))
  }

  for (const day of ['0000-01-01', '0001-01-01', '9999-12-20', '2026-02-30', '+10000-01-01'])
    it(`with a day out of range: ${day}`, () =>
      refuses(`/calendar?from=${encodeURIComponent(day)}&days=45&timeZone=Pacific/Auckland`))

  it('but a query of the first valid year is accepted', async () => {
    const { errorCode, data } = await http.call('/operations/counts?until=0001-01-01T00:00:00.000Z')
    assert.equal(errorCode, '0')
    assert.deepEqual(data['buckets'], [])
  })
})
