import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { listen } from '#database/listen.ts'
import { serve } from '#http-kit/serve.ts'
import type { RunningServer } from '#http-kit/serve.ts'
import type { RuntimeOptions } from '../app.ts'
import { testHttp, textOf } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { CHANNELS, isAfter } from '../store/events.ts'
import { billing } from '../testing/bundles.ts'
import { joinReplicas } from './replicas.ts'
import { openEvents, until } from '../testing/stream.ts'
import type { TestReader } from '../testing/stream.ts'

// Two replicas on one database. One polls so rarely that only a notification of the other makes it read.

const NEVER_MS = 3_600_000

// a separate server: events wait for older transactions, also for those of other test files on a shared one
delete process.env['TEST_DATABASE_URL']

let writing: TestHttp
before(async () => {
  writing = await testHttp()
  const published = await writing.call('/bundles/dev/billing/versions/1.0.0', {
    method: 'PUT',
    body: billing as unknown as JsonObject,
  })
  assert.equal(published.errorCode, '0')
})
after(() => writing.close())

interface Replica {
  http: TestHttp
  open(): Promise<TestReader>
  close(): Promise<void>
}

async function replica(options: Partial<RuntimeOptions> = {}): Promise<Replica> {
  const { connection, sealingKeyFiles } = writing
  const http = await testHttp({ connection, sealingKeyFiles, ...options })
  const server: RunningServer = await serve({ app: http.runtime.app, port: 0, hostname: '127.0.0.1' })
  return {
    http,
    open: () =>
      openEvents({
        send: (path, init) => fetch(`http://127.0.0.1:${server.port}${path}`, init),
        assertion: http.assertion,
      }),
    async close() {
      await http.close()
      await server.stop({ graceMs: 100 })
    },
  }
}

let workspace = 100

/** Installs a bundle without plugins into a new scope, on the other replica. */
async function install(): Promise<string> {
  const { data, errorCode } = await writing.call('/installations', {
    method: 'POST',
    body: {
      scope: { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: workspace++ },
      bundle: { ...billing.bundle },
      targetVersion: billing.version,
    },
  })
  assert.equal(errorCode, '0')
  return textOf((data['operation'] as JsonObject)['operationId'])
}

const operationIds = (reader: TestReader): string[] =>
  reader.messages.filter(({ event }) => event === 'operation').map(({ data }) => JSON.parse(data).id)

/** Terminates the connections on which replicas listen, as a failover or a firewall does. Returns their number. */
async function cutListeners(): Promise<number> {
  const cut = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'bundle-runtime-listener'`.execute(
    writing.runtime.deps.db,
  )
  return cut.rows.length
}

describe('two replicas', () => {
  it('notify each other of a write, so its event is streamed without polling', async () => {
    const other = await replica({ events: { pollMs: 50, calmPollMs: NEVER_MS } })
    const reader = await other.open()
    // after it starts to listen or is notified, a replica polls often for two seconds
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    const operationId = await install()
    await until(() => operationIds(reader).includes(operationId))
    await reader.leave()
    await other.close()
  })

  it('miss no event and repeat none while no replica can listen', async () => {
    const other = await replica({ events: { calmPollMs: NEVER_MS } })
    const reader = await other.open()
    const made: string[] = []
    let cut = 0
    for (let n = 0; n < 40; n++) {
      if (n % 4 === 0) cut += await cutListeners()
      made.push(await install())
    }
    await until(() => new Set(operationIds(reader)).size >= made.length)
    assert.deepEqual([...new Set(operationIds(reader))].toSorted(), made.toSorted())
    const { positions } = reader
    positions.forEach((position, at) => {
      const earlier = positions[at - 1]
      assert.ok(earlier === undefined || isAfter(position, earlier), 'in order, without duplicates')
    })
    assert.ok(cut > 4, `${cut} connections were terminated`)
    await reader.leave()
    await other.close()
  })

  it('wake the worker of the other replica for due operations', async () => {
    const other = await replica({ worker: { pollMs: NEVER_MS } })
    const operationId = await install()
    const stateOf = async () => (await writing.call(`/operations/${operationId}`)).data['state']
    await until(async () => (await stateOf()) === 'SUCCEEDED')
    await other.close()
  })

  it('notify each other of the progress of their workers', async () => {
    const other = await replica({ worker: {}, events: { pollMs: NEVER_MS } })
    const watching = await replica({ events: { pollMs: 50, calmPollMs: NEVER_MS } })
    const reader = await watching.open()
    const operationId = await install()
    const isStreamed = () =>
      reader.messages.some(({ event, data }) => {
        const streamed = JSON.parse(data || '{}')
        return event === 'operation' && streamed.id === operationId && streamed.row.state === 'SUCCEEDED'
      })
    await until(isStreamed)
    await reader.leave()
    await watching.close()
    await other.close()
  })

  it('work without notifications, by polling', async () => {
    const other = await replica({ listens: false })
    const reader = await other.open()
    const operationId = await install()
    await until(() => operationIds(reader).includes(operationId))
    await reader.leave()
    await other.close()
  })

  it('combine notifications of many writes', async () => {
    let notified = 0
    let isUp = false
    const listening = listen(writing.connection, {
      channels: [CHANNELS.events],
      applicationName: 'test',
      onNotify: () => void notified++,
      onUp: () => void (isUp = true),
      onDown: () => undefined,
    })
    await until(() => isUp)
    const began = performance.now()
    await Promise.all(Array.from({ length: 60 }, install))
    await until(() => notified > 0)
    const most = (performance.now() - began) / 20 + 1
    assert.ok(notified <= most, `${notified} notifications, expected at most ${most}`)
    await listening.stop()
  })
})

describe('joining', () => {
  it('wake all replicas except the sender', async () => {
    // on a separate database, because the last notification of earlier tests may still be on its way
    const alone = await testHttp()
    const { db, clock, log } = alone.runtime.deps
    const woken: Record<string, number> = { one: 0, two: 0 }
    const join = (sender: string) => {
      const wake = () => void (woken[sender] = (woken[sender] ?? 0) + 1)
      return joinReplicas({
        connection: alone.connection,
        db,
        clock,
        log,
        sender,
        onEvents: wake,
        onWork: () => undefined,
      })
    }
    const [one, two] = [join('one'), join('two')]
    await until(() => one.isListening() && two.isListening())
    const before = { ...woken }
    one.notify('events')
    await until(() => woken['two'] !== before['two'])
    assert.deepEqual(woken, { one: before['one'], two: (before['two'] ?? 0) + 1 })
    await Promise.all([one.stop(), two.stop()])
    await alone.close()
  })
})
