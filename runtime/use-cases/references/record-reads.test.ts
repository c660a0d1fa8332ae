import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import { until } from '../../testing/stream.ts'
import { readCounter } from './record-reads.ts'

const ID = '01890000-0000-7000-8000-'
const placeOf = (at: number) => ({
  bundleInstallId: `${ID}${String(at).padStart(12, '0')}`,
  resource: null,
  property: null,
})

suite('the record of what plugins read', { concurrency: false }, () => {
  let runtime: TestRuntime
  before(async () => {
    runtime = await testRuntime()
  })
  after(() => runtime.close())

  test('has a limit for each plugin, beyond which one row stands for all other places', async () => {
    // a clock that stands still: all of it is one minute
    const now = new Date()
    const count = readCounter({ ...runtime.deps, clock: { ...runtime.deps.clock, now: () => now } })
    const read = (pluginId: string, at: number) =>
      count({ pluginId, endpoint: 'RESOLVE', place: placeOf(at) })
    for (let at = 0; at < 500; at++) read('greedy', at)
    // it has a row already
    for (let more = 0; more < 3; more++) read('greedy', 7)
    read('modest', 1)
    const rowsOf = async (pluginId: string) =>
      (
        await sql<{ bundle_install_id: string | null; calls: number }>`
          select bundle_install_id, calls from runtime.plugin_read where plugin_id = ${pluginId}
          order by bundle_install_id nulls first`.execute(runtime.db)
      ).rows
    await until(async () => (await rowsOf('modest')).length > 0)
    const rows = await rowsOf('greedy')
    assert.equal(rows.length, 201)
    assert.deepEqual(rows[0], { bundle_install_id: null, calls: 300 })
    assert.equal(rows.find(({ bundle_install_id: id }) => id === placeOf(7).bundleInstallId)?.calls, 4)
    assert.deepEqual(await rowsOf('modest'), [{ bundle_install_id: placeOf(1).bundleInstallId, calls: 1 }])
  })
})
