import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest, LOCATOR } from '../testing/lifecycle-request.ts'
import { definePlugin, type PluginDefinition } from './define-plugin.ts'
import { applied, failed, notApplied, PluginFailure, unknown, type HandlerResult } from './result.ts'
import type { LifecycleCall } from './call.ts'
import type { FailureEntry } from './log-failure.ts'
import { memoryStore } from './memory-store.ts'
import { listen } from './node-listener.ts'
import { sqliteStore, type SqliteStore } from './sqlite-store.ts'
import { type SqliteTransaction } from './sqlite-store.ts'

const SCHEMA = 'CREATE TABLE IF NOT EXISTS effect (operation_id TEXT NOT NULL, stage TEXT NOT NULL)'

type Call = LifecycleCall<SqliteTransaction>

const recordEffect = (tx: SqliteTransaction, { operation, stage }: Call): void => {
  tx.prepare('INSERT INTO effect VALUES (?, ?)').run(operation.operationId, stage)
}
const countEffects = (store: SqliteStore): Promise<number> =>
  store.transaction((tx) => Number(tx.prepare('SELECT count(*) AS n FROM effect').get()?.['n']))

/** A plugin whose handler has one effect and returns the given result, in both stages. */
function plugin(
  t: TestContext,
  handler: (call: Call) => HandlerResult | Promise<HandlerResult>,
  more: Partial<PluginDefinition<SqliteTransaction>> = {},
) {
  const store = more.store === undefined ? sqliteStore(':memory:', { schema: SCHEMA }) : null
  if (store !== null) t.after(() => store.close())
  const used = more.store ?? store ?? sqliteStore(':memory:')
  const handle = { BEFORE_RESOURCES: handler, AFTER_RESOURCES: handler }
  const ready = definePlugin({
    pluginId: 'tenant-provisioner',
    verify: false,
    writes: { tenantId: {}, accessToken: { isSensitive: true } },
    onError: () => {},
    log: () => {},
    handle,
    ...more,
    store: used,
  })
  return { handler: ready, store: store ?? sqliteStore(':memory:') }
}

const applyOnce = (call: Call): Promise<HandlerResult> =>
  call.conclude((tx) => {
    recordEffect(tx, call)
    return applied({ [LOCATOR]: { tenantId: 'tenant-1', accessToken: 'secret' } })
  })

test('a success echoes the call and wraps each write once', async (t) => {
  const { handler } = plugin(t, applyOnce)
  const request = lifecycleRequest()
  const { response } = await sendRequest(handler, request)
  const { configuration: _, resources: _resources, ...echo } = request
  assert.deepEqual(response, {
    ...echo,
    outcome: 'APPLIED',
    resources: {
      [LOCATOR]: {
        tenantId: { '@type': 'Data', value: 'tenant-1' },
        accessToken: { '@type': 'Data', value: 'secret', isSensitive: true },
      },
    },
  })
})

test('a business object that looks wrapped is wrapped again and read unchanged', async (t) => {
  const inner = { '@type': 'Data', value: 1 }
  const { handler } = plugin(t, (call) =>
    applied({ [LOCATOR]: { tenantId: call.resources[0]?.values['displayName'] ?? null } }),
  )
  const { response } = await sendRequest(handler, lifecycleRequest({ values: { displayName: inner } }))
  assert.deepEqual(response?.resources[LOCATOR], { tenantId: { '@type': 'Data', value: inner } })
})

test('a retry gets the same bytes and causes no second effect', async (t) => {
  const { handler, store } = plugin(t, applyOnce)
  const first = await sendRequest(handler, lifecycleRequest())
  const second = await sendRequest(handler, lifecycleRequest())
  assert.equal(second.body, first.body)
  assert.equal(await countEffects(store), 1)
})

test('twenty concurrent calls cause one effect and get the same response', async (t) => {
  const { handler, store } = plugin(t, async (call) => {
    await wait(20)
    return applyOnce(call)
  })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => sendRequest(handler, lifecycleRequest())),
  )
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1)
  assert.equal(answers[0]?.response?.outcome, 'APPLIED')
  assert.equal(await countEffects(store), 1)
})

test('different bytes with the same operationId and stage are rejected, and the first response is kept', async (t) => {
  const { handler, store } = plugin(t, applyOnce)
  const first = await sendRequest(handler, lifecycleRequest())
  const other = await sendRequest(handler, `${JSON.stringify(lifecycleRequest())} `)
  assert.equal(other.errorCode, 'REQUEST_INVALID')
  assert.equal(other.failure?.retryable, false)
  assert.equal((await sendRequest(handler, lifecycleRequest())).body, first.body)
  assert.equal(await countEffects(store), 1)
})

test('different bytes are rejected while the first call still runs', async (t) => {
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const { handler } = plugin(t, async (call) => {
    started.resolve()
    await finish.promise
    return applyOnce(call)
  })
  const first = sendRequest(handler, lifecycleRequest())
  await started.promise
  assert.equal(
    (await sendRequest(handler, `${JSON.stringify(lifecycleRequest())} `)).errorCode,
    'REQUEST_INVALID',
  )
  finish.resolve()
  assert.equal((await first).response?.outcome, 'APPLIED')
})

for (const [name, misfortune] of Object.entries({
  FAILED: () => failed(),
  UNKNOWN: () => unknown(),
  'a failure envelope': () => {
    throw new PluginFailure({ errorCode: 'TENANT_QUOTA_REACHED', message: 'No room', retryable: false })
  },
  'an unexpected error': () => {
    throw new Error('secret detail')
  },
}))
  test(`after ${name} the same bytes run the handler again`, async (t) => {
    let runs = 0
    const { handler } = plugin(t, (call) => (++runs === 1 ? misfortune() : applyOnce(call)))
    const first = await sendRequest(handler, lifecycleRequest())
    assert.ok(!first.body.includes('secret detail'))
    assert.notEqual(first.response?.outcome, 'APPLIED')
    assert.equal((await sendRequest(handler, lifecycleRequest())).response?.outcome, 'APPLIED')
    assert.equal(runs, 2)
  })

test('NOT_APPLIED is remembered, and is the result of a stage without a handler', async (t) => {
  let runs = 0
  const { handler } = plugin(t, notApplied, {
    handle: { INSTALL: { BEFORE_RESOURCES: () => (runs++, notApplied()) } },
  })
  for (let count = 0; count < 2; count++)
    assert.equal((await sendRequest(handler, lifecycleRequest())).response?.outcome, 'NOT_APPLIED')
  assert.equal(runs, 1)
  const after = await sendRequest(handler, lifecycleRequest({ stage: 'AFTER_RESOURCES' }))
  assert.equal(after.response?.outcome, 'NOT_APPLIED')
})

test('a change is rolled back if its writes are rejected', async (t) => {
  const { handler, store } = plugin(t, (call) =>
    call.conclude((tx) => {
      recordEffect(tx, call)
      return applied({ [LOCATOR]: { undeclared: 1 } })
    }),
  )
  assert.equal((await sendRequest(handler, lifecycleRequest())).errorCode, 'WRITE_NOT_AUTHORIZED')
  assert.equal(await countEffects(store), 0)
})

test('responses survive a restart of the plugin', async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'plugin-')), 'plugin.sqlite')
  const before = sqliteStore(file, { schema: SCHEMA })
  const first = await sendRequest(plugin(t, applyOnce, { store: before }).handler, lifecycleRequest())
  await before.close()
  const after = sqliteStore(file, { schema: SCHEMA })
  t.after(() => after.close())
  const second = await sendRequest(plugin(t, applyOnce, { store: after }).handler, lifecycleRequest())
  assert.equal(second.body, first.body)
  assert.equal(await countEffects(after), 1)
})

test('another replica fails with a retryable code while the first runs, and never causes a second effect', async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'plugin-')), 'plugin.sqlite')
  const stores = [sqliteStore(file, { schema: SCHEMA }), sqliteStore(file, { schema: SCHEMA })] as const
  t.after(() => Promise.all(stores.map((store) => store.close())))
  const started = Promise.withResolvers<void>()
  const resume = Promise.withResolvers<void>()
  const slow = plugin(
    t,
    async (call) => {
      started.resolve()
      await resume.promise
      return applyOnce(call)
    },
    { store: stores[0] },
  )
  const first = sendRequest(slow.handler, lifecycleRequest())
  await started.promise
  const replica = plugin(t, applyOnce, { store: stores[1] }).handler
  const meanwhile = await sendRequest(replica, lifecycleRequest())
  assert.equal(meanwhile.errorCode, 'CALL_IN_PROGRESS')
  assert.equal(meanwhile.failure?.retryable, true)
  resume.resolve()
  assert.equal(
    (await sendRequest(replica, lifecycleRequest()).then(() => first)).response?.outcome,
    'APPLIED',
  )
  assert.equal((await sendRequest(replica, lifecycleRequest())).body, (await first).body)
  assert.equal(await countEffects(stores[0]), 1)
})

test('a replica takes over after the lease expired, and the paused one commits nothing', async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'plugin-')), 'plugin.sqlite')
  const stores = [sqliteStore(file, { schema: SCHEMA }), sqliteStore(file, { schema: SCHEMA })] as const
  t.after(() => Promise.all(stores.map((store) => store.close())))
  const started = Promise.withResolvers<void>()
  const wake = Promise.withResolvers<void>()
  const sleeper = plugin(
    t,
    async (call) => {
      started.resolve()
      await wake.promise
      return applyOnce(call)
    },
    { store: stores[0] },
  )
  const first = sendRequest(sleeper.handler, lifecycleRequest())
  await started.promise
  const later = () => Date.now() + 3_600_000
  const taken = await sendRequest(
    plugin(t, applyOnce, { store: stores[1], now: later }).handler,
    lifecycleRequest(),
  )
  assert.equal(taken.response?.outcome, 'APPLIED')
  wake.resolve()
  assert.equal((await first).errorCode, 'CALL_IN_PROGRESS')
  assert.equal(await countEffects(stores[0]), 1)
})

test('a platform address without http is refused with what to give instead', () => {
  for (const platformApiBase of ['localhost:8081', '127.0.0.1:8081', 'http://'])
    assert.throws(
      () => definePlugin({ pluginId: 'mailbox-maker', store: memoryStore(), platformApiBase, handle: {} }),
      /^Error: platformApiBase ".*" is not an address\. Give the http or https address/,
    )
})

test('a port that is in use is an error that says what to do', async (t) => {
  const first = await listen(() => undefined)
  t.after(() => first.close({ graceMs: 0 }))
  await assert.rejects(
    listen(() => undefined, first.port),
    {
      message: `Port ${first.port} of 127.0.0.1 is in use. Stop the program that uses it, or choose another port.`,
    },
  )
})

for (const [name, { handler, errorCode, message }] of Object.entries<{
  handler: () => HandlerResult
  errorCode: string
  message: RegExp
}>({
  'a PluginFailure': {
    handler: () => {
      throw new PluginFailure({ errorCode: 'MAILBOX_MISSING', message: 'It is gone', retryable: false })
    },
    errorCode: 'MAILBOX_MISSING',
    message: /^It is gone$/,
  },
  'a write that is not allowed': {
    handler: () => applied({ [LOCATOR]: { other: 'secret' } }),
    errorCode: 'WRITE_NOT_AUTHORIZED',
    message: /^other of .* is not declared/,
  },
  'an unexpected error': {
    handler: () => {
      throw new Error('secret')
    },
    errorCode: 'PLUGIN_INTERNAL_ERROR',
    message: /^The plugin encountered an internal error$/,
  },
  'the outcome FAILED': {
    handler: () => failed(),
    errorCode: 'PLUGIN_REPORTED_FAILURE',
    message: /^The handler returned the outcome FAILED$/,
  },
  'the outcome UNKNOWN': {
    handler: () => unknown(),
    errorCode: 'PLUGIN_RESULT_UNKNOWN',
    message: /^The handler returned the outcome UNKNOWN$/,
  },
}))
  test(`${name} is logged once, with its operation, and by default as one line of JSON`, async (t) => {
    const { operation, stage, installation } = lifecycleRequest()
    const entries: FailureEntry[] = []
    const logging = plugin(t, handler, { log: (entry) => entries.push(entry) })
    const { body } = await sendRequest(logging.handler, lifecycleRequest())
    const [entry = assert.fail()] = entries
    assert.equal(entries.length, 1)
    assert.match(entry.message, message)
    assert.deepEqual(entry, {
      pluginId: 'tenant-provisioner',
      operationId: operation.operationId,
      operationType: operation.operationType,
      stage,
      bundleInstallId: installation.bundleInstallId,
      errorCode,
      message: entry.message,
    })
    const print = t.mock.method(console, 'error', () => {})
    const printing = definePlugin({
      pluginId: 'tenant-provisioner',
      verify: false,
      store: memoryStore(),
      onError: () => {},
      handle: { BEFORE_RESOURCES: handler },
    })
    await sendRequest(printing, lifecycleRequest())
    assert.deepEqual(
      print.mock.calls.map(({ arguments: printed }) => printed),
      [[JSON.stringify(entry)]],
    )
    const throwing = plugin(t, handler, {
      log: () => {
        throw new Error('no space')
      },
    })
    assert.equal((await sendRequest(throwing.handler, lifecycleRequest())).body, body)
  })

test('a call without a valid token is logged without an operation, a success is not', async (t) => {
  const entries: FailureEntry[] = []
  const log = (entry: FailureEntry) => void entries.push(entry)
  const refusing = plugin(t, applyOnce, { verify: { keys: [] }, issuer: 'https://platform.example', log })
  await sendRequest(refusing.handler, lifecycleRequest(), 'not-a-token')
  await sendRequest(plugin(t, applyOnce, { log }).handler, lifecycleRequest())
  assert.deepEqual(
    entries.map(({ operationId, errorCode }) => ({ operationId, errorCode })),
    [{ operationId: null, errorCode: 'AUTHENTICATION_REQUIRED' }],
  )
  assert.doesNotMatch(JSON.stringify(entries), /not-a-token/)
})
