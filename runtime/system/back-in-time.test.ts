import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, it } from 'node:test'
import pg from 'pg'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { clientConfig } from '#database/settings.ts'
import { openEvents, until } from '../testing/stream.ts'
import { testHttp, textOf } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { billing, SCOPE } from '../testing/bundles.ts'

// Follows the instructions of docs/operating/recover.md after a restore, exactly as written.

let http: TestHttp
before(async () => {
  http = await testHttp({ worker: { pollMs: 100 } })
})
after(() => http.close())

async function write(method: string, path: string, body: JsonObject): Promise<JsonObject> {
  const { data, errorCode } = await http.call(path, { method, body })
  assert.equal(errorCode, '0')
  return data
}

async function succeeded(operation: JsonObject): Promise<JsonObject> {
  const path = `/operations/${textOf(operation['operationId'])}`
  await until(async () => (await http.call(path)).data['state'] === 'SUCCEEDED', 20_000)
  return operation
}

async function remedy(): Promise<string> {
  const guide = await readFile(new URL('../../docs/operating/recover.md', import.meta.url), 'utf8')
  return /```sql\n([^`]*)```/.exec(guide)?.[1] ?? assert.fail('the statements are missing')
}

it('after the instructions plugins see new sequences only, and readers start over', async () => {
  await write('PUT', '/bundles/dev/billing/versions/1.0.0', billing as unknown as JsonObject)
  const installed = await write('POST', '/installations', {
    scope: { ...SCOPE },
    bundle: { ...billing.bundle },
    targetVersion: '1.0.0',
  })
  const first = await succeeded(installed['operation'] as JsonObject)
  assert.equal(first['executionSequence'], 1)
  const reader = await openEvents(http)
  const { lastId } = reader
  await reader.leave()

  const operator = new pg.Client(clientConfig(http.connection))
  await operator.connect()
  await operator.query(await remedy())
  await operator.end()

  const { bundleInstallId } = first['installation'] as JsonObject
  const detached = await write('POST', `/installations/${textOf(bundleInstallId)}/detach`, {
    reason: 'a test',
  })
  const second = await succeeded(detached['operation'] as JsonObject)
  assert.equal(second['executionSequence'], 1002)
  const resumed = await openEvents(http, lastId)
  assert.equal((await resumed.events(1))[0]?.event, 'reset')
  await resumed.leave()
})
