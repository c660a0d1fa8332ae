import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { openDatabase } from '#database/pool.ts'
import { billing } from '../testing/bundles.ts'
import { testHttp } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'

let http: TestHttp
before(async () => {
  http = await testHttp()
})
after(() => http.close())

it('a write with a failed statement is not acknowledged, and is rolled back completely', async () => {
  const { pool, close } = openDatabase(http.connection)
  await pool.query(`
    create function runtime.fail() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create trigger fail before update on runtime.idempotency for each row execute function runtime.fail()`)
  const { bundle, version } = billing
  const path = `/bundles/${bundle.environmentKey}/${bundle.bundleId}/versions/${version}`
  const publish = () =>
    http.call(path, { method: 'PUT', body: billing as unknown as JsonObject, key: 'the-key' })
  const failed = await publish()
  assert.equal(failed.status, 500)
  assert.doesNotMatch(JSON.stringify(failed.json), /disk/)
  const stored = await pool.query('select from runtime.bundle_version')
  assert.equal(stored.rows.length, 0)

  await pool.query('drop trigger fail on runtime.idempotency')
  assert.equal((await publish()).errorCode, '0')
  await close()
})
