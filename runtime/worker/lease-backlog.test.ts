import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import { inTransaction } from '#database/transaction.ts'
import type { RuntimeTables } from '../model/tables.ts'
import { acquireOperations } from './acquire-operations.ts'
import { testEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'
import type { OperationRow } from '../model/operation.ts'

const BACKLOG = 1_000

const engine = await testEngine()

suite('a lease request while many operations are due at a plugin without capacity', () => {
  after(() => engine.close())

  test('reads only the rows that it leases', async () => {
    for (const pluginId of ['first', 'full']) await engine.register(pluginId)
    await multiply(await freeze('full'))
    const { db, close } = openDatabase<RuntimeTables>(engine.runtime.connection, {
      max: 1,
      prepareRecurring: true,
    })
    /** The number of rows that this session has read so far. */
    const leaseOne = async (): Promise<number> => {
      const { operation_id } = await freeze('first')
      return inTransaction(db, async (tx) => {
        const rooms = [{ pluginId: 'full', room: 0 }]
        const due = { owner: 'me', leaseMs: 60_000, limit: 20, perPlugin: 8, rooms }
        const leased = await acquireOperations({ ...engine.deps, db: tx }, due)
        assert.deepEqual(
          leased.map(({ lease, begun }) => [lease.operationId, begun.length]),
          [[operation_id, 1]],
        )
        const { rows } = await sql<{ read: number }>`
          select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as read
          from pg_stat_xact_user_tables where schemaname = 'runtime'`.execute(tx)
        return rows[0]?.read ?? Number.NaN
      })
    }
    try {
      const read: number[] = []
      // the server caches a plan from the third execution on
      for (let times = 0; times < 5; times++) read.push(await leaseOne())
      const [last = Number.NaN] = read.slice(-1)
      assert.ok(last > 0 && last < 100, `rows read: ${read.join(', ')}`)
    } finally {
      await close()
    }
  })

  const freeze = async (pluginId: string): Promise<OperationRow> =>
    engine.freeze({ installation: await engine.installation(), plan: planWith([reader(pluginId, 1)]) })

  /** Creates many operations like this one, each of a different installation, and updates the planner's statistics. */
  const multiply = async ({ operation_id, bundle_install_id }: OperationRow): Promise<void> => {
    const { db } = engine.runtime
    await sql`
      with copy as (
        select 'bundle-' || n as bundle, gen_random_uuid() as id, gen_random_uuid() as installation
        from generate_series(1, ${BACKLOG}::integer) n
      ), installed as (
        insert into runtime.installation
        select (jsonb_populate_record(original,
          jsonb_build_object('bundle_install_id', copy.installation, 'bundle_id', copy.bundle))).*
        from runtime.installation as original, copy where bundle_install_id = ${bundle_install_id}
      ), made as (
        insert into runtime.operation
        select (jsonb_populate_record(original,
          jsonb_build_object('operation_id', copy.id, 'bundle_install_id', copy.installation, 'bundle_id', copy.bundle))).*
        from runtime.operation as original, copy where operation_id = ${operation_id}
      )
      insert into runtime.plugin_call
      select (jsonb_populate_record(original, jsonb_build_object('operation_id', copy.id))).*
      from runtime.plugin_call as original, copy where operation_id = ${operation_id}`.execute(db)
    await sql`analyze`.execute(db)
  }
})
