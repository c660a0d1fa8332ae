import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { clientConfig, fromUrl } from '#database/settings.ts'
import { startTestServer, testDatabase } from '#database/testing.ts'
import type { TestDatabase, TestServer } from '#database/testing.ts'
import { openEvents, until } from '../testing/stream.ts'
import { API, testHttp, textOf } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { listProcessEvents } from '../store/process-events.ts'
import { RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import { billing } from '../testing/bundles.ts'

// One complete replica on a database server that goes away. An uncaught error fails the run.

let server: TestServer
let database: TestDatabase
let http: TestHttp

before(async () => {
  server = await startTestServer()
  database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: server.url })
  http = await testHttp({ connection: database.connection, worker: { pollMs: 200 } })
  const published = await http.call('/bundles/dev/billing/versions/1.0.0', {
    method: 'PUT',
    body: billing as unknown as JsonObject,
  })
  assert.equal(published.errorCode, '0')
})
after(async () => {
  await http.close()
  await server.stop()
})

let workspace = 1

const tryInstall = () =>
  http.call('/installations', {
    method: 'POST',
    body: {
      scope: { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: workspace++ },
      bundle: { ...billing.bundle },
      targetVersion: billing.version,
    },
  })

const statusOf = async (path: string) => (await http.send(API + path)).status

async function worksAgain(): Promise<string> {
  await until(async () => (await statusOf('/readyz')) === 200)
  const { status, data } = await tryInstall()
  assert.equal(status, 200)
  const operationId = textOf((data['operation'] as JsonObject)['operationId'])
  await until(async () => {
    const { data: operation } = await http.call(`/operations/${operationId}`)
    return operation['state'] === 'SUCCEEDED'
  })
  return operationId
}

/** Runs a statement on the server, outside the test database, so that none of its settings apply to the session. */
async function onServer(text: string): Promise<void> {
  const client = new pg.Client({ ...clientConfig(fromUrl(server.url)), connectionTimeoutMillis: 10_000 })
  await client.connect()
  await client.query(text)
  await client.end()
}

const troubles = async (): Promise<string[]> => {
  const { data } = await http.call('/troubles')
  return (data['items'] as { kind: string }[]).map(({ kind }) => kind)
}

const whyNotReady = async (): Promise<unknown> => {
  const response = await http.send(`${API}/readyz`)
  const { message } = (await response.json()) as JsonObject
  return response.status === 503 ? message : response.status
}

describe('while the database is unavailable', () => {
  it('requests are 503, the replica is alive but not ready, and everything recovers afterwards', async () => {
    const reader = await openEvents(http)
    await server.pause()
    for (const path of ['/installations', '/scopes', '/operations']) {
      const response = await http.call(path)
      assert.equal(response.status, 503, path)
      assert.equal(response.headers.get('content-type'), 'application/problem+json')
      assert.equal(response.headers.get('retry-after'), '1')
      assert.equal(response.json['code'], 'SERVICE_UNAVAILABLE')
    }
    assert.equal((await tryInstall()).status, 503)
    assert.equal(await statusOf('/healthz'), 200)
    assert.equal(await statusOf('/readyz'), 503)
    assert.equal(await statusOf('/.well-known/jwks.json'), 503)
    const metrics = await (await http.send(`${API}/metrics`)).text()
    assert.match(metrics, /^bundle_runtime_database_up 0$/m)
    assert.match(metrics, /^bundle_runtime_listening 0$/m)
    assert.match(
      metrics,
      /^# TYPE bundle_runtime_worker_lease_polls_total counter\nbundle_runtime_worker_lease_polls_total \d+$/m,
    )
    assert.match(metrics, /^bundle_runtime_worker_operations_held 0$/m)

    await server.restart()
    const operationId = await worksAgain()
    await until(() =>
      reader.messages.some(({ event, data }) => event === 'operation' && data.includes(operationId)),
    )
    await until(async () => {
      const text = await (await http.send(`${API}/metrics`)).text()
      return /^bundle_runtime_database_up 1$/m.test(text) && /^bundle_runtime_listening 1$/m.test(text)
    })
    await reader.leave()
  })

  it('a replica is not ready, and says why, as long as its database is set to read-only', async () => {
    const name = pg.escapeIdentifier(database.connection.database)
    await onServer(`alter database ${name} set default_transaction_read_only = on`)
    // the setting applies to new sessions only, so this waits until the old ones are gone
    await onServer(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where application_name like 'bundle-runtime%'`,
    )
    // a request may still use a connection whose end has not been noticed here
    await until(async () => (await http.call('/operations')).status === 200)
    const readOnly = 'The database is set to read-only and takes no writes'
    await until(async () => (await whyNotReady()) === readOnly)
    assert.equal((await tryInstall()).status, 503)
    await until(async () => (await troubles()).join() === 'DATABASE_READ_ONLY')
    // concurrent requests leave as many sessions behind, all of them permanently read-only
    const reads = await Promise.all(Array.from({ length: 8 }, () => http.call('/operations')))
    assert.ok(reads.every(({ status }) => status === 200))
    await onServer(`alter database ${name} reset default_transaction_read_only`)
    await until(async () => (await statusOf('/readyz')) === 200)
    const writes = await Promise.all(Array.from({ length: 4 }, () => tryInstall()))
    assert.deepEqual(
      writes.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    await worksAgain()
    await until(async () => (await troubles()).length === 0)
    // so that operations can tell it from an interruption
    const events = await listProcessEvents(http.runtime.deps.db, {
      since: new Date(0).toISOString(),
      until: null,
      limit: 10,
    })
    const recorded = events.filter(({ kind }) => kind === 'database.read_only')
    assert.equal(recorded.length, 1)
    assert.ok((recorded[0]?.until ?? '') > (recorded[0]?.at ?? ''))
  })

  it('a replica is not ready on a standby until it is promoted', async () => {
    await server.pause()
    writeFileSync(join(fromUrl(server.url).host, 'postgresql', 'standby.signal'), '')
    await server.restart()
    await until(async () => (await whyNotReady()) !== 'The database cannot be reached')
    assert.equal(await whyNotReady(), 'The database is a standby, which takes no writes')
    assert.equal((await http.call('/operations')).status, 200)
    assert.equal((await tryInstall()).status, 503)
    await onServer('select pg_promote()')
    await worksAgain()
  })

  it('a request during a restart or a crash either succeeds or gets 503', async () => {
    const over = new AbortController()
    const met = new Map<string, number>()
    const keepAsking = async (ask: () => Promise<{ status: number; json: JsonObject }>) => {
      while (!over.signal.aborted) {
        const { status, json } = await ask()
        const seen = `${status} ${String(json['errorCode'] ?? json['code'])}`
        met.set(seen, (met.get(seen) ?? 0) + 1)
      }
    }
    const asking = [
      keepAsking(tryInstall),
      keepAsking(tryInstall),
      keepAsking(() => http.call('/operations')),
      keepAsking(() => http.call('/installations?state=ACTIVE')),
    ]
    try {
      for (const how of ['in order', 'killed', 'in order', 'killed'] as const) {
        await server.restart(how)
        await until(async () => (await statusOf('/readyz')) === 200)
      }
    } finally {
      over.abort()
    }
    await Promise.all(asking)
    assert.deepEqual([...met.keys()].toSorted(), ['200 0', '503 SERVICE_UNAVAILABLE'])
    await worksAgain()
  })
})
