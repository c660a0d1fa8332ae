import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '#database/testing.ts'
import { bffMigrations } from './store/tables.ts'
import { startConsole } from './testing-console.ts'
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
