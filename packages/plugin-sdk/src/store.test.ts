import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { testDatabase } from '../../../database/testing.ts'
import { clientConfig } from '../../../database/settings.ts'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest, type RequestOptions } from '../testing/lifecycle-request.ts'
import { definePlugin } from './define-plugin.ts'
import { memoryStore } from './memory-store.ts'
import { postgresStore, type PostgresTransaction } from './postgres-store.ts'
import { applied } from './result.ts'
import { sqliteStore, type SqliteTransaction } from './sqlite-store.ts'
import type { Awaitable } from './awaitable.ts'
import type { Store } from './store.ts'

const SCHEMA = 'CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL);'
const WRITE = 'INSERT INTO counter VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value'

const database = await testDatabase({ migrations: [] })
/** A pool that survives the end of its connections, as the pool of a plugin must. */
function poolOf({ connection }: typeof database, max: number): pg.Pool {
  const made = new pg.Pool({ ...clientConfig(connection), max })
  return made.on('error', () => undefined)
}
const pool = poolOf(database, 5)
after(async () => {
  await pool.end()
  await database.close()
})

/** A store, and how an author's change reads and writes a number in it. */
interface Kind<Tx> {
  store: Store<Tx>
  read(tx: Tx, name: string): Awaitable<number>
  write(tx: Tx, name: string, value: number): Awaitable<unknown>
}

const memory = (): Kind<{ get(key: string): unknown; set(key: string, value: number): void }> => ({
  store: memoryStore(),
  read: (tx, name) => Number(tx.get(name) ?? 0),
  write: (tx, name, value) => tx.set(name, value),
})
const sqlite = (): Kind<SqliteTransaction> => ({
  store: sqliteStore(':memory:', { schema: SCHEMA }),
  read: (tx, name) =>
    Number(tx.prepare('SELECT value FROM counter WHERE name = ?').get(name)?.['value'] ?? 0),
  write: (tx, name, value) => tx.prepare(WRITE.replaceAll('$', '?')).run(name, value),
})
const postgres = (): Kind<PostgresTransaction> => ({
  store: postgresStore(pool, { schema: SCHEMA }),
  async read(tx, name) {
    const { rows } = await tx.query('SELECT value FROM counter WHERE name = $1', [name])
    return Number(rows[0]?.['value'] ?? 0)
  },
  write: (tx, name, value) => tx.query(WRITE, [name, value]),
})

verify('the memory store', memory)
verify('the SQLite store', sqlite)
verify('the PostgreSQL store', postgres)

function verify<Tx>(name: string, create: () => Kind<Tx>): void {
  describe(name, () => {
    const { store, read, write } = create()
    after(() => store.close())
    const add = (counter: string) =>
      store.transaction(async (tx) => {
        const value = await read(tx, counter)
        await wait(1)
        await write(tx, counter, value + 1)
      })
    const valueOf = (counter: string) => store.transaction((tx) => read(tx, counter))
    const counting = definePlugin({
      pluginId: 'tenant-provisioner',
      verify: false,
      store,
      handle: {
        BEFORE_RESOURCES: (call) =>
          call.conclude(async (tx) => {
            const { operationId } = call.operation
            await write(tx, operationId, (await read(tx, operationId)) + 1)
            return applied()
          }),
      },
    })
    const send = (request: RequestOptions) => sendRequest(counting, lifecycleRequest(request))

    test('loses no update of transactions that run at the same time', async () => {
      await Promise.all(Array.from({ length: 8 }, () => add('concurrent')))
      assert.equal(await valueOf('concurrent'), 8)
    })

    test('rolls back what a transaction did before it threw', async () => {
      const failing = store.transaction(async (tx) => {
        await write(tx, 'rolled back', 1)
        throw new Error('no')
      })
      await assert.rejects(failing, /no/)
      assert.equal(await valueOf('rolled back'), 0)
    })

    test('refuses a transaction inside a transaction', async () => {
      await assert.rejects(
        store.transaction(() => store.transaction(() => undefined)),
        /already open/,
      )
    })

    test('remembers a response, fences late calls and keeps the tombstone', async () => {
      const operationId = `${name} install`
      const bundleInstallId = `${name} 1`
      const first = await send({ operationId, bundleInstallId })
      assert.equal(first.response?.outcome, 'APPLIED')
      assert.equal((await send({ operationId, bundleInstallId })).body, first.body)
      assert.equal(await valueOf(operationId), 1)
      const detach = { operationType: 'DETACH', executionSequence: 3, bundleInstallId } as const
      const stages = ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const
      for (const stage of stages) {
        const { errorCode } = await send({ ...detach, operationId: `${name} detach`, stage })
        assert.equal(errorCode, null)
      }
      const late = { operationType: 'CONFIGURE', bundleInstallId } as const
      const stale = await send({ ...late, operationId: `${name} late`, executionSequence: 2 })
      assert.equal(stale.errorCode, 'EXECUTION_SEQUENCE_STALE')
      const next = await send({ ...late, operationId: `${name} next`, executionSequence: 4 })
      assert.equal(next.errorCode, 'INSTALLATION_NOT_ACTIVE')
    })

    test('runs a handler once for the same call twice at the same time', async () => {
      const request = { operationId: `${name} twice`, bundleInstallId: `${name} 2` }
      const [one, other] = await Promise.all([send(request), send(request)])
      assert.equal(one.body, other.body)
      assert.equal(await valueOf(request.operationId), 1)
    })

    test('forgets calls of earlier operations that ended long ago', async () => {
      const bundleInstallId = `${name} 3`
      await send({ operationId: `${name} old`, bundleInstallId })
      await store.transaction((tx) =>
        store.memory.forgetCalls(tx, { bundleInstallId, executionSequence: 2, endedAt: Date.now() + 1000 }),
      )
      const key = { operationId: `${name} old`, stage: 'BEFORE_RESOURCES', bundleInstallId } as const
      const { call, mark } = await store.transaction((tx) => store.memory.read(tx, key))
      assert.equal(call, null)
      assert.equal(mark?.bundleInstallId, bundleInstallId)
    })
  })
}

test('several plugin processes create the tables of one PostgreSQL database at the same time', async () => {
  const other = await testDatabase({ migrations: [] })
  const pools = [1, 2, 3].map(() => poolOf(other, 1))
  const stores = pools.map((each) => postgresStore(each, { schema: SCHEMA }))
  const key = { operationId: 'none', stage: 'BEFORE_RESOURCES', bundleInstallId: 'none' } as const
  for (const found of await Promise.all(
    stores.map((store) => store.transaction((tx) => store.memory.read(tx, key))),
  ))
    assert.deepEqual(found, { call: null, mark: null })
  for (const each of pools) await each.end()
  await other.close()
})

test('a transaction whose connection breaks fails, and the next one succeeds', async () => {
  const store = postgresStore(pool, { schema: SCHEMA })
  const broken = store.transaction(async (tx) => {
    await tx.query('SELECT pg_terminate_backend(pg_backend_pid())')
  })
  await assert.rejects(broken)
  assert.equal(await store.transaction(() => 'works'), 'works')
})
