import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { inTransaction } from '#database/transaction.ts'
import { insertCredential, makeSecret } from '../store/plugins/credentials.ts'
import { testRuntime } from '../testing/runtime.ts'
import type { TestRuntime } from '../testing/runtime.ts'
import { issuedCredentialsIn } from './send-call.ts'
import type { Db } from '../model/db.ts'
import type { OutboundResult } from '#http-kit/outbound-result.ts'

const bytes = (text: string, status = 200): OutboundResult => ({
  kind: 'response',
  status,
  contentType: 'application/json',
  headers: {},
  body: Buffer.from(text),
})
const answer = (json: JsonValue): OutboundResult => bytes(JSON.stringify(json))

describe('platform credentials in an answer', () => {
  let runtime: TestRuntime
  const issued: string[] = []
  before(async () => {
    runtime = await testRuntime()
    for (const [pluginId, last] of [
      ['one', '1'],
      ['two', '2'],
    ] as const) {
      await runtime.db
        .insertInto('runtime.plugin')
        .values({ plugin_id: pluginId, title: pluginId, endpoint: 'http://127.0.0.1:9', enabled: true })
        .execute()
      const { secret, hash } = makeSecret()
      const credentialId = `01900000-0000-7000-8000-00000000000${last}`
      await inTransaction(runtime.db, (tx) =>
        insertCredential(tx, { credentialId, pluginId, secretHash: hash }),
      )
      issued.push(secret)
    }
    await runtime.db
      .updateTable('runtime.plugin_credential')
      .set({ revoked_at: new Date().toISOString() })
      .where('plugin_id', '=', 'two')
      .execute()
  })
  after(() => runtime.close())

  const found = async (result: OutboundResult) =>
    [...(await issuedCredentialsIn(runtime.db, result))].toSorted()

  it('are found anywhere, for every plugin, including revoked ones', async () => {
    const [one = '', two = ''] = issued
    const other = makeSecret().secret
    assert.deepEqual(await found(answer({ a: [one], [two]: other })), [one, two].toSorted())
    assert.deepEqual(await found(answer(`bpc_${one}${two}bpc_`)), [one, two].toSorted())
    assert.deepEqual(await found(answer(`Authorization: Bearer ${one}, as told`)), [one])
    assert.deepEqual(await found(bytes(JSON.stringify(one).replace('bpc_', '\\u0062\\u0070c\\u005F'))), [one])
    assert.deepEqual(await found(answer([other, one.slice(0, -1), one.toUpperCase()])), [])
    assert.deepEqual(await found(bytes(`{"a":"${one}"`)), [], 'nothing of what cannot be read is kept')
    assert.deepEqual(await found(bytes(JSON.stringify(one), 500)), [])
  })

  it('all count as issued if there are too many to look up', async () => {
    const many = Array.from({ length: 1_001 }, () => makeSecret().secret)
    assert.equal((await found(answer(many))).length, many.length)
  })

  it('cost no query if nothing looks like one', async () => {
    // any use of it throws
    const noDatabase = null as unknown as Db
    const plain = answer({ note: 'bpc', other: 'bpc-x', more: ['\u00e9', 'x'.repeat(10_000)] })
    for (const result of [
      plain,
      answer('bpc_short'),
      bytes('<html>'),
      { kind: 'failed', reason: 'timeout' } as const,
    ])
      assert.equal((await issuedCredentialsIn(noDatabase, result)).size, 0)
  })
})
