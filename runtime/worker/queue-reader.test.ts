import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import { inTransaction } from '#database/transaction.ts'
import type { RuntimeTables } from '../model/tables.ts'
import { findQueueStart, leaseOperations } from '../store/operations/lease-operations.ts'
import { testEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'
import { QueueReader } from './acquire-operations.ts'
import type { Db } from '../model/db.ts'
import type { OperationRow } from '../model/operation.ts'

const engine = await testEngine()
const request = { owner: 'me', leaseMs: 60_000, limit: 20, perPlugin: 8, rooms: [] }

suite('a queue whose beginning is known', { concurrency: false }, () => {
  after(() => engine.close())

  test('has the operations that came later, also of plugins that had none, and none twice', async () => {
    for (const pluginId of ['early', 'late']) await engine.register(pluginId)
    const { db } = engine.runtime
    const waiting = await freeze('early')
    const start = await findQueueStart(db)
    assert.deepEqual(
      start.plugins.map(({ pluginId }) => pluginId),
      ['early'],
    )
    const others = [await freeze('late'), await freeze('early'), await freezeWithoutCalls()]
    const leased = await leaseOperations(db, request, start)
    assert.deepEqual(idsOf(leased), [waiting, ...others].map(({ operation_id }) => operation_id).toSorted())
    assert.deepEqual(await leaseOperations(db, request, start), [])
    await finishAll()
  })

  test('begins at the oldest operation of each plugin, however long that waits', async () => {
    const { db } = engine.runtime
    const { operation_id } = await freezeAt('early', sql`'2020-01-01'`)
    const start = await findQueueStart(db)
    assert.match(start.plugins[0]?.since ?? '', /^2020-01-01 /)
    assert.deepEqual(idsOf(await leaseOperations(db, request, start)), [operation_id])
    await finishAll()
  })

  test('is read whole again after a while, which finds what was put before its beginning', async () => {
    const { queue, pass } = slowQueue()
    await queue.lease(request)
    const { operation_id } = await freezeAt('early', sql`'2020-01-01'`)
    assert.deepEqual(await queue.lease(request), [])
    pass(60_000)
    assert.deepEqual(idsOf(await queue.lease(request)), [operation_id])
    await finishAll()
  })

  test('moves its beginning back to what a long transaction put before it', async () => {
    const { queue, pass } = slowQueue()
    await queue.lease(request)
    const { operation_id } = await freezeAt('early', sql`statement_timestamp() - interval '10 seconds'`)
    assert.deepEqual(await queue.lease(request), [])
    pass(2_000)
    assert.deepEqual(await queue.lease(request), [])
    assert.deepEqual(idsOf(await queue.lease(request)), [operation_id])
    await finishAll()
  })

  test('moves its beginning on to the oldest operation that still waits', async () => {
    const { db } = engine.runtime
    const first = await freezeAt('early', sql`'2020-01-01Z'`)
    const second = await freezeAt('early', sql`'2021-01-01Z'`)
    const start = await findQueueStart(db)
    await sql`update runtime.operation set state = 'SUCCEEDED', phase = 'DONE', holds_claim = false
      where operation_id = ${first.operation_id}`.execute(db)
    const moved = await findQueueStart(db, start)
    assert.match(moved.plugins.find(({ pluginId }) => pluginId === 'early')?.since ?? '', /^2021-01-01 /)
    assert.deepEqual(idsOf(await leaseOperations(db, request, moved)), [second.operation_id])
    await finishAll()
  })

  test('is read without the operations that ended while a transaction is open', async () => {
    const { db, close } = openDatabase<RuntimeTables>(engine.runtime.connection, { max: 1 })
    const other = openDatabase<RuntimeTables>(engine.runtime.connection, { max: 1 })
    try {
      await inTransaction(
        other.db,
        async (open) => {
          // on a busy machine, the work of the other connection takes longer than a transaction may rest
          await sql`set local idle_in_transaction_session_timeout = 0`.execute(open)
          await sql`select pg_current_xact_id(), count(*) from runtime.operation`.execute(open)
          for (let count = 0; count < 150; count++) await freeze('early')
          await finishAll()
          // without the seconds that it looks back
          const { rows } = await sql<{ since: string }>`select statement_timestamp()::text as since`.execute(
            db,
          )
          const start = { ...(await findQueueStart(db)), ...rows[0] }
          const ofWhole = await entriesRead(db, () => leaseOperations(db, request))
          const ofStart = await entriesRead(db, () => leaseOperations(db, request, start))
          const ofNext = await entriesRead(db, () => findQueueStart(db, start))
          assert.ok(ofWhole >= 150, `whole: ${ofWhole} entries`)
          assert.ok(ofStart < 20, `from its beginning: ${ofStart} entries`)
          assert.ok(ofNext < 20, `to the next beginning: ${ofNext} entries`)
        },
        { isolation: 'repeatable read' },
      )
    } finally {
      await close()
      await other.close()
    }
  })

  const freeze = async (pluginId: string): Promise<OperationRow> =>
    engine.freeze({ installation: await engine.installation(), plan: planWith([reader(pluginId, 1)]) })
  const freezeAt = async (pluginId: string, availableAt: RawBuilder<unknown>): Promise<OperationRow> => {
    const operation = await freeze(pluginId)
    await sql`update runtime.operation set available_at = ${availableAt}
      where operation_id = ${operation.operation_id}`.execute(engine.runtime.db)
    return operation
  }
  /** A queue whose statements take 100 ms each. `pass` lets more time pass. */
  const slowQueue = () => {
    let now = 0
    const clock = { ...engine.deps.clock, monotonic: () => (now += 50) }
    return {
      queue: new QueueReader({ db: engine.runtime.db, clock }),
      pass: (ms: number) => void (now += ms),
    }
  }
  const freezeWithoutCalls = async (): Promise<OperationRow> =>
    engine.freeze({ installation: await engine.installation(), plan: planWith([]) })
  const finishAll = () =>
    sql`update runtime.operation set state = 'SUCCEEDED', phase = 'DONE', holds_claim = false, lease_owner = null`.execute(
      engine.runtime.db,
    )
})

const idsOf = (leased: readonly { operation: OperationRow }[]): string[] =>
  leased.map(({ operation }) => operation.operation_id).toSorted()

/** How many entries of the queue's index a statement of this session reads. */
async function entriesRead(db: Db, statement: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`.execute(db)
    const { rows } = await sql<{ n: number }>`
      select idx_tup_read as n from pg_stat_user_indexes where indexrelname = 'operation_queue_of_plugin'`.execute(
      db,
    )
    return rows[0]?.n ?? Number.NaN
  }
  const before = await count()
  await statement()
  return (await count()) - before
}
