import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { clientConfig } from '#database/settings.ts'
import { until } from '../testing/stream.ts'
import { testHttp, textOf } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { testingPlugin } from '../testing/plugin.ts'
import type { TestingPlugin } from '../testing/plugin.ts'
import { CORE, crm, SCOPE } from '../testing/bundles.ts'

// Observes the database from outside while a plugin is slow to answer.

let http: TestHttp
let plugin: TestingPlugin
let outside: pg.Client

before(async () => {
  plugin = await testingPlugin()
  http = await testHttp({ worker: { pollMs: 50 } })
  outside = new pg.Client(clientConfig(http.connection))
  await outside.connect()
})
after(async () => {
  await outside.end()
  await http.close()
  await plugin.close()
})

/** Whether the runtime has a transaction open since before `since`, or the row of an operation is locked. */
async function isHeldUp(since: string): Promise<boolean> {
  const { rows } = await outside.query<{ older: number; locked: number }>(
    `select
      (select count(*)::int4 from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and application_name like 'bundle-runtime%' and xact_start <= $1::timestamptz) as older,
      (select count(*)::int4 from runtime.operation)
        - (select count(*)::int4 from (select from runtime.operation for update skip locked) as free) as locked`,
    [since],
  )
  return rows[0] === undefined || rows[0].older > 0 || rows[0].locked > 0
}

describe('while a plugin is called', () => {
  it('no transaction is open and no row is locked, in either stage', async () => {
    const seen: string[] = []
    plugin.script(async ({ stage }) => {
      const { rows } = await outside.query<{ now: string }>('select clock_timestamp()::text as now')
      // short leases and renewals come and go; something held during the whole call stays, as the call ends only
      // after this
      await until(async () => !(await isHeldUp(rows[0]?.now ?? '')), 15_000).then(
        () => seen.push(`${stage}: nothing is held`),
        () => seen.push(`${stage}: something is held throughout`),
      )
      const resources = stage === 'AFTER_RESOURCES' ? { [CORE]: { tenantId: wrapData('t-1') } } : {}
      return { outcome: 'APPLIED', resources }
    })
    const endpoint = plugin.endpoint('tenants')
    for (const [method, path, body] of [
      ['PUT', '/plugins/tenants', { title: 'Tenants', endpoint, enabled: true }],
      ['PUT', '/bundles/dev/crm/versions/1.0.0', crm as unknown as JsonObject],
    ] as const)
      assert.equal((await http.call(path, { method, body })).errorCode, '0')
    const { data } = await http.call('/installations', {
      method: 'POST',
      body: {
        scope: { ...SCOPE },
        bundle: { ...crm.bundle },
        targetVersion: '1.0.0',
        properties: { [CORE]: { name: wrapData('Acme') } },
      },
    })
    const operationId = textOf((data['operation'] as JsonObject)['operationId'])
    await until(async () => {
      const { data: operation } = await http.call(`/operations/${operationId}`)
      return operation['state'] === 'SUCCEEDED'
    })

    assert.deepEqual(seen, ['BEFORE_RESOURCES: nothing is held', 'AFTER_RESOURCES: nothing is held'])
  })

  it('an open transaction would be detected', async () => {
    const { rows } = await outside.query<{ now: string }>('select clock_timestamp()::text as now')
    await http.runtime.deps.db.transaction().execute(async (tx) => {
      await sql`select from runtime.operation for update`.execute(tx)
      assert.equal(await isHeldUp('infinity'), true)
    })
    await until(async () => !(await isHeldUp(rows[0]?.now ?? '')))
  })
})
