import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { billing, SCOPE } from '#runtime/testing/bundles.ts'
import { testHttp } from '#runtime/testing/http.ts'
import type { TestHttp } from '#runtime/testing/http.ts'
import { until } from '#runtime/testing/stream.ts'
import { verifyChain } from '#runtime/use-cases/audit/verify-chain.ts'
import { DemoDates, moveToDates } from '../demo/dates.ts'

let http: TestHttp
beforeEach(async () => {
  http = await testHttp({ worker: { pollMs: 50 } })
})
afterEach(async () => {
  await http.runtime.drain()
  await http.close()
})

async function write(actor: string, method: string, path: string, body: JsonObject): Promise<JsonObject> {
  const { data, errorCode } = await http.call(path, { actor, method, body })
  assert.equal(errorCode, '0')
  return data
}

/** A bundle that is published on one day, and installed on a later one. */
async function buildTwoDays(): Promise<DemoDates> {
  const dates = new DemoDates()
  dates.at({ daysAgo: 20, time: '09:40' })
  await write('demo:mira', 'PUT', '/bundles/dev/billing/versions/1.0.0', billing as unknown as JsonObject)
  await write('demo:mira', 'PUT', '/plugins/mailer', {
    title: 'Mailer',
    endpoint: 'http://127.0.0.1:9/lifecycle',
    enabled: true,
  })
  dates.at({ minutesAgo: 90 })
  const { operation } = await write('demo:ling', 'POST', '/installations', {
    scope: { ...SCOPE },
    bundle: { ...billing.bundle },
    targetVersion: '1.0.0',
  })
  const { operationId } = operation as { operationId: string }
  await until(async () => (await http.call(`/operations/${operationId}`)).data['state'] === 'SUCCEEDED')
  return dates
}

const hoursAgo = (at: unknown): number => Math.round((Date.now() - Date.parse(String(at))) / 3_600_000)
const audited = async () =>
  (
    await sql<{
      at: string
      action: string
    }>`select at, action from runtime.audit_entry order by sequence`.execute(http.runtime.deps.db)
  ).rows

test('what the demo has done lies on its days, in its order, with an audit log that is whole', async () => {
  await moveToDates(http.connection, await buildTwoDays())
  const [published, registered, installed] = await audited()
  const { rows } = await sql<{ since: string }>`select since from runtime.plugin_endpoint`.execute(
    http.runtime.deps.db,
  )
  assert.equal(String(rows[0]?.since).slice(0, 16), String(registered?.at).slice(0, 16))
  assert.equal(String(published?.at).slice(11, 16), '09:40')
  assert.ok(Math.abs(hoursAgo(published?.at) - 20 * 24) <= 24)
  assert.ok(hoursAgo(installed?.at) <= 2)
  const { items } = (await http.call('/operations')).data as { items: JsonObject[] }
  const [operation] = items
  const [created, finished] = [operation?.['createdAt'], operation?.['finishedAt']].map((at) =>
    Date.parse(String(at)),
  )
  assert.ok(
    created !== undefined && finished !== undefined && Math.abs(Date.now() - created - 90 * 60_000) < 60_000,
  )
  // it took as long as it did
  assert.ok(finished >= created && finished - created < 60_000)
  const { db } = http.runtime.deps
  assert.equal((await verifyChain(db)).holds, true)
  // nothing may be changed afterwards
  await assert.rejects(sql`update runtime.audit_entry set at = clock_timestamp()`.execute(db), /append-only/)
  await assert.rejects(sql`update runtime.audit_head set sequence = 0`.execute(db), /append-only/)
})

test('nothing is moved if somebody else has done something meanwhile', async () => {
  const dates = await buildTwoDays()
  await write('olivia', 'PUT', '/bundles/dev/billing/versions/1.0.1', {
    ...(billing as unknown as JsonObject),
    version: '1.0.1',
  })
  await moveToDates(http.connection, dates)
  for (const { at } of await audited()) assert.equal(hoursAgo(at), 0)
})

test('steps that are not in their order are refused', () => {
  const dates = new DemoDates()
  dates.at({ minutesAgo: 90 })
  assert.throws(() => dates.at({ daysAgo: 3, time: '09:40' }), /not in their order/)
})
