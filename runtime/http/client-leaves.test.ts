import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, it } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { openDatabase } from '#database/pool.ts'
import { serve } from '#http-kit/serve.ts'
import type { RunningServer } from '#http-kit/serve.ts'
import { countLockWaits, until } from '../testing/stream.ts'
import { billing } from '../testing/bundles.ts'
import { API, CREDENTIAL, testHttp } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'

let http: TestHttp
let server: RunningServer
const left = Promise.withResolvers<void>()

before(async () => {
  http = await testHttp()
  const { app } = http.runtime
  server = await serve({
    port: 0,
    hostname: '127.0.0.1',
    app: {
      fetch(request) {
        request.signal.addEventListener('abort', () => left.resolve())
        return app.fetch(request)
      },
    },
  })
})
after(async () => {
  await server.stop({ graceMs: 0 })
  await http.close()
})

it(
  'a write completes even if its client disconnects before the answer, and its repeat returns that answer',
  { timeout: 60_000 },
  async (context) => {
    const { db, pool, close } = openDatabase(http.connection)
    const blocker = await pool.connect()
    context.after(async () => {
      blocker.release(true)
      await close()
    })
    await blocker.query('begin; lock table runtime.bundle_version in exclusive mode')

    const { bundle, version } = billing
    const path = `/bundles/${bundle.environmentKey}/${bundle.bundleId}/versions/${version}`
    const key = randomUUID()
    const client = new AbortController()
    const request = fetch(`http://127.0.0.1:${server.port}${API}${path}`, {
      method: 'PUT',
      signal: client.signal,
      headers: {
        authorization: `Bearer ${CREDENTIAL}`,
        'x-runtime-actor-assertion': await http.assertion(),
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(billing),
    })
    await until(async () => (await countLockWaits(db)) > 0)
    client.abort()
    await assert.rejects(request, { name: 'AbortError' })
    await left.promise
    await blocker.query('rollback')

    const isDone = async (): Promise<boolean> => {
      const found = await pool.query('select from runtime.idempotency where answer is not null')
      return found.rows.length > 0
    }
    await until(isDone)
    const again = await http.call(path, { method: 'PUT', body: billing as unknown as JsonObject, key })
    assert.equal(again.errorCode, '0')
    const stored = await pool.query('select from runtime.bundle_version')
    assert.equal(stored.rows.length, 1)
    const audited = await pool.query('select from runtime.audit_entry')
    assert.equal(audited.rows.length, 1)
  },
)
