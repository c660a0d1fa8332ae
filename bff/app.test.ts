import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '#database/testing.ts'
import { bffMigrations } from './store/tables.ts'
import { startConsole } from './testing-console.ts'
import { EVERYWHERE } from './testing.ts'
import { TestBrowser } from './testing-browser.ts'

test('GET /api/session counts toward the rate limit of the person', async (t) => {
  const { connection, close } = await testDatabase({ migrations: [bffMigrations] })
  const rate = { perSecond: 0.001, burst: 3 }
  const console = await startConsole({ connection, rates: { reads: rate, writes: rate } })
  t.after(async () => {
    await console.stop()
    await close()
  })
  const ada = new TestBrowser(console.origin)
  await ada.signIn('ada', 'correct horse')
  const statuses: number[] = []
  for (let count = 0; count < 4; count++) statuses.push((await ada.api('/api/session')).status)
  assert.deepEqual(statuses, [200, 200, 200, 429])
})

test('a body weighs what it costs to read, also one that is refused (J01)', async (t) => {
  const { connection, close } = await testDatabase({ migrations: [bffMigrations] })
  const rate = { perSecond: 0.001, burst: 40 }
  const roles = { eve: [EVERYWHERE('viewer')] }
  const console = await startConsole({ connection, roles, rates: { reads: rate, writes: rate } })
  t.after(async () => {
    await console.stop()
    await close()
  })
  const eve = new TestBrowser(console.origin)
  await eve.signIn('eve', 'correct horse')
  const path = '/api/scopes/prod/eu/1/configuration'
  const headers = { 'content-type': 'application/json' }
  const statusOf = async (body: string) => (await eve.api(path, { method: 'PATCH', headers, body })).status
  const large = 'x'.repeat(640 * 1024)
  // 8 and 21
  assert.deepEqual(
    [await statusOf(`{"reason":"${large.slice(0, 250_000)}"}`), await statusOf(`["${large}`)],
    [403, 400],
  )
  assert.deepEqual([await statusOf(`["${large}`), await statusOf('{}')], [429, 403])
})
