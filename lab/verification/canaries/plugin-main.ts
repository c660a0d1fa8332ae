import { join } from 'node:path'
import pg from 'pg'
import { clientConfig, fromUrl } from '#database/settings.ts'
import {
  applied,
  credentialFromFile,
  definePlugin,
  eventOutbox,
  eventReceiver,
  listen,
  notApplied,
  outboxView,
  PluginFailure,
  postgresStore,
  sqliteStore,
  toNodeListener,
} from '#plugin-sdk/src/index.ts'
import type { LifecycleCall, Store } from '#plugin-sdk/src/index.ts'
import { METHOD, PUBLISHERS, WRITTEN } from './bundles.ts'

/** Given to the program as its argument, in JSON. */
export interface CanaryPluginSettings {
  pluginId: string
  /** Under which its receiver of events is registered. */
  serviceId: string
  /** For a store in SQLite. */
  folder: string
  /** A store in PostgreSQL instead, at this URL. */
  databaseUrl: string | null
  port: number
  platformApiBase: string
  credentialFile: string
}

/** Runs SQL of the author inside a transaction of the store; parameters are written `?`. */
type RunSql<Tx> = (tx: Tx, sql: string, parameters: string[]) => unknown

/** Published for each operation through each property. */
const EVENTS = 3
const SCHEMA = 'CREATE TABLE IF NOT EXISTS note (written TEXT NOT NULL)'
const NOTE = 'INSERT INTO note VALUES (?)'

// A plugin with a careless author: at its first attempt of each operation it tries to write a token back, and then fails
// with a message that contains a token and an address. Events and references are left to the SDK.

// written by the suite that starts this process
const settings = JSON.parse(process.argv[2] ?? '{}') as CanaryPluginSettings
if (settings.databaseUrl === null) {
  const store = sqliteStore(join(settings.folder, 'plugin.sqlite'), { schema: SCHEMA })
  await run(store, (tx, sql, parameters) => tx.prepare(sql).run(...parameters))
} else {
  const pool = new pg.Pool({ ...clientConfig(fromUrl(settings.databaseUrl)), max: 5 })
  const numbered = (sql: string) => sql.replace('?', '$1')
  await run(postgresStore(pool, { schema: SCHEMA }), (tx, sql, parameters) =>
    tx.query(numbered(sql), parameters),
  )
}

async function run<Tx>(store: Store<Tx>, runSql: RunSql<Tx>): Promise<void> {
  const { pluginId, serviceId, platformApiBase, credentialFile, port } = settings
  const credential = credentialFromFile(credentialFile)
  const outbox = eventOutbox({
    store,
    platformApiBase,
    credential,
    pollMs: 50,
    timeoutMs: 2_000,
    retry: ({ retryable }) => (retryable ? 100 : null),
  })
  const failedOnce = new Set<string>()

  async function perform(call: LifecycleCall<Tx>) {
    const [resource] = call.resources
    if (call.operation.operationType !== 'CONFIGURE' || resource === undefined) return notApplied()
    const { locator, references } = resource
    const { operationId } = call.operation
    const used: string[] = []
    for (const propertyKey of Object.keys(references)) {
      const { access } = await call.resolve(locator, propertyKey)
      for (const [target, { url, token }] of Object.entries(access)) {
        used.push(`${url} ${token}`)
        await callTarget({ url, token, eventId: `${operationId}-${propertyKey}-${target}` })
      }
    }
    const [material] = used
    if (material !== undefined && !failedOnce.has(operationId)) {
      failedOnce.add(operationId)
      await call.conclude(() => applied({ [locator]: { [WRITTEN]: material } })).catch(requireRefusal)
      const message = `The target is busy: ${material}`.slice(0, 512)
      throw new PluginFailure({ errorCode: 'TARGET_BUSY', message, retryable: true })
    }
    return call.conclude(async (tx) => {
      for (const propertyKey of PUBLISHERS) {
        if (references[propertyKey] === undefined) continue
        const { installation } = call
        const target = { installation, resource: locator, propertyKey, method: METHOD }
        for (let number = 0; number < EVENTS; number++) {
          const id = `${operationId}-${number}`
          await outbox.publish(tx, { ...target, payload: { id }, idempotencyKey: id })
        }
      }
      return applied({ [locator]: { [WRITTEN]: operationId } })
    })
  }

  const plugin = definePlugin({
    pluginId,
    store,
    platformApiBase,
    credential,
    writes: { [WRITTEN]: {} },
    handle: { AFTER_RESOURCES: perform },
  })
  const receive = eventReceiver({
    serviceId,
    platformApiBase,
    store,
    handle: { [METHOD]: ({ eventId }, tx) => runSql(tx, NOTE, [eventId]) },
  })
  const view = outboxView(outbox, { path: '/outbox' })
  const { url } = await listen(
    toNodeListener(async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/lifecycle') return plugin(request)
      if (pathname === '/outbox') return view(request)
      if (pathname === '/plant') return plant(await request.text())
      return receive(request)
    }),
    port,
  )
  outbox.start()
  console.log(`${pluginId} at ${url}`)

  /** Says and stores a text, so that the suite can prove that it looks there. */
  async function plant(text: string): Promise<Response> {
    console.error(text)
    await store.transaction((tx) => runSql(tx, NOTE, [text]))
    return new Response(null, { status: 204 })
  }
}

/** One business call with the access of one resolution. Whether it succeeds does not matter here. */
async function callTarget({ url, token, eventId }: { url: string; token: string; eventId: string }) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'event-id': eventId,
    'idempotency-key': eventId,
  }
  const body = JSON.stringify({ id: eventId })
  const response = await fetch(`${url}/${METHOD}`, { method: 'POST', headers, body }).catch(() => null)
  await response?.body?.cancel()
}

function requireRefusal(error: unknown): void {
  if (!(error instanceof PluginFailure) || error.errorCode !== 'WRITE_NOT_AUTHORIZED') throw error
}
