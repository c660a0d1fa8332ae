import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { InstallationIdentity } from '#contract/protocol/scope.ts'
import { clientConfig } from '#database/settings.ts'
import { testDatabase, type TestDatabase } from '#database/testing.ts'
import {
  applied,
  definePlugin,
  eventOutbox,
  eventReceiver,
  listen,
  memoryStore,
  outboxView,
  postgresStore,
  sqliteStore,
  toNodeListener,
} from '#plugin-sdk/src/index.ts'
import type { EventToPublish, IncomingEvent, Listening, Store } from '#plugin-sdk/src/index.ts'
import { sendRequest } from '#plugin-sdk/testing/send-request.ts'
import { lifecycleRequest } from '#plugin-sdk/testing/lifecycle-request.ts'
import { findCanaries } from '../testing/canary.ts'
import { CORE, ResolveHarness } from '../testing/resolve.ts'

// Events from the outbox of a plugin, through this runtime, to a receiver, over HTTP.

const RESOLVE = '/module-plugin-manager/api/bundle-plugin/service-reference/resolve'

let platform: ResolveHarness
let server: Listening
let receiver: Listening
let database: TestDatabase
let pool: pg.Pool
const folder = mkdtempSync(join(tmpdir(), 'plugin-events-'))
const receiverStore = sqliteStore(join(folder, 'receiver.sqlite'))
/** The paths that the platform received. */
const paths: string[] = []
/** Every access token that the platform issued. */
const tokens = new Set<string>()
const handled: IncomingEvent[] = []
/** Every request that reached the receiver: method, event id and idempotency key. */
const arrived: { method: string; eventId: string; key: string }[] = []
/** What the receiver does with the next requests instead of answering. */
const faults: ('lose the answer' | 'fail' | 'repeat the token')[] = []
const logged: unknown[] = []

before(async () => {
  platform = await ResolveHarness.make()
  database = await testDatabase({ migrations: [] })
  pool = new pg.Pool({ ...clientConfig(database.connection), max: 5 })
  // The end of the database can end idle connections first.
  pool.on('error', () => undefined)
  server = await listen(
    toNodeListener(async (request) => {
      const path = new URL(request.url).pathname
      paths.push(path)
      const response = await platform.http.runtime.app.fetch(request)
      for (const [token] of (await response.clone().text()).matchAll(/eyJ[\w.-]{40,}/g)) tokens.add(token)
      return response
    }),
  )
  const receive = eventReceiver({
    serviceId: 'mail',
    issuer: 'http://platform.test',
    platformApiBase: server.url,
    store: receiverStore,
    onError: (error) => logged.push(error),
    handle: { created: (event) => handled.push(event), changed: (event) => handled.push(event) },
  })
  receiver = await listen((incoming, outgoing) => {
    const header = (name: string) => String(incoming.headers[name])
    const method = incoming.url?.split('/').at(-1) ?? ''
    arrived.push({ method, eventId: header('event-id'), key: header('idempotency-key') })
    const fault = faults.shift()
    if (fault === 'fail') {
      outgoing.writeHead(503).end()
    } else if (fault === 'repeat the token') {
      const message = `No: ${header('authorization')}`
      const data = { message: message.slice(0, 512), retryable: false }
      outgoing.end(JSON.stringify({ errorCode: 'NO', data, contractVersion: '1.0.0' }))
    } else {
      const listener = toNodeListener(async (request) => {
        const response = await receive(request)
        if (fault === 'lose the answer') incoming.socket.destroy()
        return response
      })
      listener(incoming, outgoing)
    }
  })
})
after(async () => {
  await receiver.close({ graceMs: 0 })
  await server.close({ graceMs: 0 })
  await platform.http.close()
  await pool.end()
  await database.close()
  await receiverStore.close()
  rmSync(folder, { recursive: true })
})

beforeEach(async () => {
  await platform.putAll()
  const owner = { bundleInstallId: platform.installId, locator: CORE }
  await platform.saveService('mail', { url: `${receiver.url}/events`, owner, consumers: [] })
  for (const list of [paths, handled, arrived, faults]) list.length = 0
})

const event = (changes: Partial<EventToPublish> = {}): EventToPublish => ({
  installation: InstallationIdentity.parse(platform.request()['installation']),
  resource: CORE,
  propertyKey: 'publisher',
  method: 'changed',
  payload: { id: 'tenant-1' },
  ...changes,
})

/** An outbox on a store, and a clock that the test moves. */
function outboxOn<Tx>(store: Store<Tx>) {
  const clock = { now: Date.now() }
  const outbox = eventOutbox({
    store,
    platformApiBase: server.url,
    credential: () => platform.secret,
    retry: ({ retryable }) => (retryable ? 1_000 : null),
    onError: (error) => logged.push(error),
    now: () => clock.now,
  })
  const publish = (changes?: Partial<EventToPublish>) =>
    store.transaction((tx) => outbox.publish(tx, event(changes)))
  const states = async () =>
    (await outbox.list()).map(({ state, lastError }) => [state, lastError?.errorCode])
  return { outbox, publish, states, clock, store }
}

verify('SQLite', () => sqliteStore(join(folder, 'plugin.sqlite')))
verify('PostgreSQL', () => postgresStore(pool))
verify('memory', () => memoryStore())

function verify<Tx>(name: string, open: () => Store<Tx>): void {
  describe(`an outbox on ${name}`, () => {
    let store: Store<Tx>
    before(() => {
      store = open()
    })
    after(() => store.close())

    it('delivers an event of a lifecycle call that committed, and none of one that did not', async () => {
      const { outbox } = outboxOn(store)
      const plugin = definePlugin({
        pluginId: 'tenant-provisioner',
        verify: false,
        store,
        onError: () => undefined,
        handle: {
          BEFORE_RESOURCES: (call) =>
            call.conclude(async (tx) => {
              const payload: JsonValue = { id: call.operation.operationId }
              await outbox.publish(tx, event({ payload }))
              if (call.operation.operationId === 'broken') throw new Error('broken')
              return applied()
            }),
        },
      })
      await sendRequest(plugin, lifecycleRequest({ operationId: 'broken', bundleInstallId: `${name} a` }))
      await sendRequest(plugin, lifecycleRequest({ operationId: 'whole', bundleInstallId: `${name} b` }))
      await sendRequest(plugin, lifecycleRequest({ operationId: 'whole', bundleInstallId: `${name} b` }))
      assert.equal(await outbox.deliverDue(), 1)
      assert.deepEqual(
        handled.map(({ payload, pluginId }) => [payload, pluginId]),
        [[{ id: 'whole' }, 'tenants']],
      )
      assert.equal(await outbox.deliverDue(), 0)
    })

    it('resolves for each attempt, and keeps event id and idempotency key', async () => {
      const { outbox, publish, clock } = outboxOn(store)
      const eventId = await publish({ idempotencyKey: `order 7 of ${name}`.replaceAll(' ', '-') })
      faults.push('fail', 'lose the answer')
      for (const expected of [1, 1, 1]) {
        assert.equal(await outbox.deliverDue(), expected)
        assert.equal(await outbox.deliverDue(), 0, 'not before its time')
        clock.now += 1_000
      }
      assert.equal(paths.filter((path) => path === RESOLVE).length, 3)
      const key = `order-7-of-${name}`
      assert.deepEqual(
        arrived,
        Array.from({ length: 3 }, () => ({ method: 'changed', eventId, key })),
      )
      assert.equal(handled.length, 1, 'a repeat after a lost answer is confirmed, and not handled again')
      const [stored] = await outbox.list({ state: 'DELIVERED' })
      assert.equal(stored?.attempts, 3)
    })

    it('publishes the same business event once', async () => {
      const { publish, outbox } = outboxOn(store)
      const first = await publish({ idempotencyKey: `${name}-once` })
      assert.equal(await publish({ idempotencyKey: `${name}-once` }), first)
      assert.equal(await outbox.deliverDue(), 1)
      assert.equal(await publish({ idempotencyKey: `${name}-once` }), first)
      assert.equal(await outbox.deliverDue(), 0)
    })

    it('takes over what another outbox was sending, when its lease ends', async () => {
      const { outbox, publish, clock } = outboxOn(store)
      await publish()
      await store.transaction((tx) =>
        store.events?.lease(tx, {
          owner: '["other",1,"x","y"]',
          now: clock.now,
          leaseUntil: clock.now + 5_000,
          limit: 9,
        }),
      )
      assert.equal(await outbox.deliverDue(), 0)
      clock.now += 5_000
      assert.equal(await outbox.deliverDue(), 1)
    })

    it('gives up what cannot succeed, and sends it when the author retries it', async () => {
      const { outbox, publish } = outboxOn(store)
      const eventId = await publish()
      await platform.saveService('mail', { url: `${receiver.url}/events`, methods: [], consumers: [] })
      await outbox.deliverDue()
      assert.equal((await outbox.count()).FAILED, 1)
      assert.deepEqual(arrived, [])
      const owner = { bundleInstallId: platform.installId, locator: CORE }
      await platform.saveService('mail', { url: `${receiver.url}/events`, owner, consumers: [] })
      const view = outboxView(outbox, { path: '/outbox' })
      const retry = new Request(`http://author/outbox?retry=${eventId}`, { method: 'POST' })
      assert.equal((await view(retry)).status, 200)
      await outbox.deliverDue()
      assert.equal(handled.length, 1)
      const shown = await (await view(new Request('http://author/outbox?state=DELIVERED'))).text()
      assert.ok(shown.includes(eventId))
    })
  })
}

describe('an event is not sent', () => {
  const failure = async (changes: Partial<EventToPublish>): Promise<unknown> => {
    const { outbox, publish, states } = outboxOn(memoryStore())
    await publish(changes)
    await outbox.deliverDue()
    assert.deepEqual(arrived, [])
    return (await states())[0]
  }

  it('with a payload that the target does not declare', async () => {
    assert.deepEqual(await failure({ payload: { id: 7 } }), ['FAILED', 'EVENT_PAYLOAD_INVALID'])
    assert.deepEqual(await failure({ payload: 'text' }), ['FAILED', 'EVENT_PAYLOAD_INVALID'])
    assert.deepEqual(await failure({ method: 'deleted' }), ['FAILED', 'EVENT_NOT_DECLARED'])
  })

  it('through a property that is not authorized, although another one with the same target is', async () => {
    assert.deepEqual(await failure({ propertyKey: 'alsoMail' }), ['FAILED', 'REFERENCE_NOT_AUTHORIZED'])
  })

  it('through a reference to several services', async () => {
    await platform.saveService('chat', { owner: { bundleInstallId: platform.installId, locator: CORE } })
    assert.deepEqual(await failure({ propertyKey: 'inOrder' }), ['FAILED', 'EVENT_REFERENCE_INVALID'])
  })

  it('for an installation that is detached', async () => {
    const { installation } = event()
    await platform.http.runtime.deps.db
      .updateTable('runtime.installation')
      .set({ state: 'DETACHED' })
      .execute()
    assert.deepEqual(await failure({ installation }), ['FAILED', 'INSTALLATION_NOT_ACTIVE'])
  })

  it('with a refused credential, until there is a valid one', async () => {
    const { outbox, publish, states, clock } = outboxOn(memoryStore())
    const valid = platform.secret
    platform.secret = 'unknown'
    await publish()
    await outbox.deliverDue()
    assert.deepEqual(await states(), [['PENDING', 'AUTHENTICATION_REQUIRED']])
    platform.secret = valid
    clock.now += 1_000
    await outbox.deliverDue()
    assert.equal(handled.length, 1)
  })

  it('with access that has expired', async () => {
    const { outbox, publish, states, clock } = outboxOn(memoryStore())
    await publish()
    clock.now += 600_000
    await outbox.deliverDue()
    assert.deepEqual(arrived, [])
    assert.deepEqual(await states(), [['PENDING', 'RESOLUTION_UNCERTAIN']])
  })
})

describe('after events and resolutions', () => {
  it('no token and no address is anywhere', async () => {
    const store = sqliteStore(join(folder, 'canary.sqlite'))
    const { outbox, publish, clock } = outboxOn(store)
    faults.push('fail', 'repeat the token')
    await publish()
    await outbox.deliverDue()
    clock.now += 1_000
    await outbox.deliverDue()
    await publish()
    await outbox.deliverDue()
    const events = await outbox.list()
    assert.deepEqual(
      events.map(({ state }) => state).toSorted(),
      ['DELIVERED', 'FAILED'],
      'one event failed with a message that contained its token',
    )
    await store.close()

    // a part too: a failure message of the receiver has no room for a whole token
    const parts = [...tokens].map((token) => token.split('.')[1]?.slice(0, 60) ?? token)
    const canaries = [...tokens, ...parts, receiver.url]
    assert.ok(canaries.length > 20)
    for (const file of readdirSync(folder)) {
      const text = readFileSync(join(folder, file), 'latin1')
      for (const canary of canaries) assert.ok(!text.includes(canary), file)
    }
    const output = JSON.stringify([events, logged.map(String)])
    for (const canary of canaries) assert.ok(!output.includes(canary))
    for (const { table, text } of await rowsOf(pool))
      for (const canary of canaries) assert.ok(!text.includes(canary), table)
    assert.deepEqual(await findCanaries(platform.http.runtime.deps.db, [...tokens, ...new Set(parts)]), [])
  })
})

/** The rows of the plugin's tables in PostgreSQL. */
async function rowsOf(from: pg.Pool): Promise<{ table: string; text: string }[]> {
  const tables = ['plugin_sdk_call', 'plugin_sdk_event', 'plugin_sdk_received_event']
  return Promise.all(
    tables.map(async (table) => ({
      table,
      text: JSON.stringify((await from.query(`select * from ${table}`)).rows),
    })),
  )
}
