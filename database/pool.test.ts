import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { sql } from 'kysely'

import { describeOnEachEngine } from './fixtures/engines.ts'
import { quoteName } from './names.ts'
import { openDatabase, type Database, type PoolOptions } from './pool.ts'
import { fromUrl, type ConnectionSettings } from './settings.ts'
import { startTestServer, testDatabase } from './testing.ts'
import { inTransaction, isPgError, PG } from './transaction.ts'
import { isUnavailable } from './unreachable.ts'

type Tables = { 'notes.note': { text: string; revision: number } }

async function using(
  connection: ConnectionSettings,
  options: PoolOptions,
  fn: (database: Database<Tables>) => Promise<void>,
): Promise<void> {
  const database = openDatabase<Tables>(connection, options)
  try {
    await fn(database)
  } finally {
    await database.close()
  }
}

describeOnEachEngine('pool', (fresh) => {
  test('a connection lost between two statements of a transaction fails only the next one', async () => {
    const { connection, close } = await fresh()
    await using(connection, { max: 2 }, async ({ db, pool }) => {
      const transaction = db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
        await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
        await sleep(100)
        await sql`select 1`.execute(tx)
      })
      await assert.rejects(transaction)
      assert.deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }])
    })
    await close()
  })

  test('a closed pool has no session left, and loses no idle connection', async () => {
    const { connection, close } = await fresh()
    const lost: Error[] = []
    await using(connection, { max: 1 }, async ({ pool: watching }) => {
      await watching.query('select 1')
      for (let round = 0; round < 10; round++) {
        const options = {
          max: 10,
          applicationName: 'closing',
          onIdleError: (error: Error) => lost.push(error),
        }
        await using(connection, options, async ({ pool }) => {
          await Promise.all(Array.from({ length: 10 }, () => pool.query('select pg_sleep(0.02)')))
        })
        const { rows } = await watching.query(
          `select pid from pg_stat_activity where application_name = 'closing' and state is not null`,
        )
        assert.deepEqual(rows, [], `round ${round}`)
      }
    })
    assert.deepEqual(lost, [])
    await close()
  })

  test('values arrive as numbers, RFC 3339 strings and parsed JSON', async () => {
    const { connection, close } = await fresh()
    await using(connection, {}, async ({ db, pool }) => {
      await db.insertInto('notes.note').values({ text: 'a', revision: 10 }).execute()
      const rows = await db.selectFrom('notes.note').select('revision').execute()
      assert.deepEqual(rows, [{ revision: 10 }])
      const result = await pool.query(`
        select 9007199254740991::int8 as big, (select count(*) from notes.note) as count, array[9, null, 10]::int8[] as list,
          '2026-01-01 02:00:00.123999+02'::timestamptz as at, array['2026-01-01T00:00:00Z'::timestamptz] as times,
          '2026-01-01'::date as day, '2026-01-01 12:00'::timestamp as local, '{"a": [1]}'::jsonb as body, null::int8 as none`)
      assert.deepEqual(result.rows[0], {
        big: 9007199254740991,
        count: 1,
        list: [9, null, 10],
        at: '2026-01-01T00:00:00.123Z',
        times: ['2026-01-01T00:00:00.000Z'],
        day: '2026-01-01',
        local: '2026-01-01 12:00:00',
        body: { a: [1] },
        none: null,
      })
    })
    await close()
  })

  test('an int8 beyond the safe integers is an error, and the connection stays usable', async () => {
    const { connection, close } = await fresh()
    await using(connection, { max: 1 }, async ({ db, pool }) => {
      await assert.rejects(pool.query('select 9007199254740993::int8'), RangeError)
      await assert.rejects(sql`select array[9007199254740993::int8]`.execute(db), RangeError)
      assert.deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }])
    })
    await close()
  })

  test('every connection has timeouts, UTC and a name', async () => {
    const { connection, close } = await fresh()
    const options = {
      statementTimeoutMs: 300,
      lockTimeoutMs: 200,
      idleInTransactionTimeoutMs: 250,
      applicationName: 'tester',
    }
    await using(connection, options, async ({ pool }) => {
      const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
      const shown = await pool.query(
        `select current_setting(name) as value from unnest($1::text[]) with ordinality as t (name, place) order by place`,
        [[...names, 'TimeZone', 'application_name']],
      )
      assert.deepEqual(
        shown.rows.map(({ value }) => value),
        ['300ms', '200ms', '250ms', 'UTC', 'tester'],
      )
      await assert.rejects(pool.query('select pg_sleep(5)'), (error) => isPgError(error, PG.queryCanceled))
    })
    await using(connection, {}, async ({ pool }) => {
      const shown = await pool.query(
        "select current_setting('lock_timeout') as l, current_setting('statement_timeout') as s",
      )
      assert.deepEqual(shown.rows, [{ l: '5s', s: '30s' }])
    })
    await close()
  })

  test('no statement is compiled, whatever its estimated cost, also where the server compiles', async () => {
    const { connection, close } = await fresh()
    await using(connection, {}, async ({ pool }) => {
      await pool.query(`alter database ${quoteName(connection.database)} set jit = on`)
    })
    await using(connection, { prepareRecurring: true }, async ({ pool }) => {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
        `explain (analyze) select from notes.note where text || text = 'x'`,
      )
      assert.doesNotMatch(rows.map((row) => row['QUERY PLAN']).join('\n'), /JIT/)
      assert.deepEqual((await pool.query('show jit')).rows, [{ jit: 'off' }])
    })
    await close()
  })

  test('a paused transaction loses its locks, and cannot commit afterwards', async () => {
    const { connection, close } = await fresh()
    const options = { lockTimeoutMs: 100, idleInTransactionTimeoutMs: 300 }
    await using(connection, options, async ({ pool }) => {
      await pool.query(`insert into notes.note (text) values ('shared')`)
      const paused = await pool.connect()
      await paused.query('begin')
      await paused.query(`update notes.note set revision = 2`)
      await assert.rejects(pool.query('update notes.note set revision = 3'), (error) =>
        isPgError(error, PG.lockNotAvailable),
      )
      await sleep(400)
      await pool.query('update notes.note set revision = 4')
      await assert.rejects(paused.query('commit'))
      paused.release(true)
      assert.deepEqual((await pool.query('select revision from notes.note')).rows, [{ revision: 4 }])
    })
    await close()
  })

  test('a connection to a server that became a standby is not reused', async () => {
    const { connection, close } = await fresh()
    await using(connection, { max: 1 }, async ({ pool }) => {
      const backendPid = async () =>
        (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
      const before = await backendPid()
      await pool.query('set default_transaction_read_only = on')
      const write = pool.query(`insert into notes.note (text) values ('a')`)
      await assert.rejects(write, (error) => isPgError(error, PG.readOnly))
      assert.notEqual(await backendPid(), before)
      assert.equal((await pool.query(`insert into notes.note (text) values ('a')`)).rowCount, 1)
    })
    await close()
  })

  test('connections opened while the database was read-only fail no write, and are discarded', async () => {
    const { connection, close } = await fresh()
    await using(connection, { max: 4 }, async ({ db, pool }) => {
      const all = () => Promise.all(Array.from({ length: 4 }, () => pool.connect()))
      const old = await all()
      for (const client of old) await client.query('set default_transaction_read_only = on')
      const [inUse, ...idle] = old
      for (const client of idle) client.release()
      await inTransaction(db, (tx) => sql`insert into notes.note (text) values ('a')`.execute(tx))
      inUse?.release()
      for (const client of await all()) {
        const { rows } = await client.query('show default_transaction_read_only')
        assert.deepEqual(rows, [{ default_transaction_read_only: 'off' }])
        client.release()
      }
    })
    await close()
  })

  test('a read-only database rejects a write, after one more attempt on a new connection', async () => {
    const { connection, close } = await fresh()
    const name = quoteName(connection.database)
    await using(connection, {}, async ({ pool }) => {
      await pool.query(`alter database ${name} set default_transaction_read_only = on`)
    })
    await using(connection, {}, async ({ db, pool }) => {
      let tries = 0
      const write = () =>
        inTransaction(db, (tx) => {
          tries++
          return sql`insert into notes.note (text) values ('a')`.execute(tx)
        })
      await assert.rejects(write(), (error) => isPgError(error, PG.readOnly))
      assert.equal(tries, 1)
      await pool.query('select 1')
      await assert.rejects(write(), (error) => isPgError(error, PG.readOnly))
      assert.equal(tries, 3)
    })
    await close()
  })

  test('a lost idle connection is reported and replaced', async () => {
    const { connection, close } = await fresh()
    const lost: string[] = []
    await using(
      connection,
      { max: 1, onIdleError: (error) => lost.push(error.message) },
      async ({ pool }) => {
        const { pid } = (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0] ?? {
          pid: 0,
        }
        await using(connection, {}, async (other) => {
          await other.pool.query('select pg_terminate_backend($1)', [pid])
        })
        while (lost.length === 0) await sleep(5)
        assert.equal((await pool.query('select 1')).rowCount, 1)
      },
    )
    await close()
  })
})

test('a commit that its synchronous standby has not confirmed does not count as done', async () => {
  const server = await startTestServer({ parameters: { synchronous_standby_names: 'nobody' } })
  await using(fromUrl(server.url), { max: 2 }, async ({ db, pool }) => {
    await pool.query('create table kept (id int)')
    const write = db.transaction().execute(async (tx) => {
      await sql`set local synchronous_commit = on`.execute(tx)
      await sql`insert into kept values (1)`.execute(tx)
    })
    const refused = assert.rejects(write, isUnavailable)
    // someone cancels the wait, upon which the server reports the commit as done, with a warning
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
    while ((await pool.query(cancel)).rowCount === 0) await sleep(20)
    await refused
    assert.equal((await pool.query('select from kept')).rowCount, 1)
  })
  await server.stop()
})

test('a query into a network that drops everything fails, and its connection is not reused', async () => {
  const { connection, close } = await testDatabase({ migrations: [] })
  const swallowing = await startSwallowingProxy(connection)
  const through = { ...connection, host: '127.0.0.1', port: swallowing.port }
  await using(through, { max: 1, statementTimeoutMs: 1_000 }, async ({ db, pool }) => {
    // The driver's timeout is 10 s longer than the server's; the test does not wait for it.
    assert.partialDeepStrictEqual(pool.options, { query_timeout: 11_000 })
    Object.assign(pool.options, { query_timeout: 200 })
    await sql`select 1`.execute(db)
    swallowing.swallow(true)
    await assert.rejects(sql`select 1`.execute(db), /Query read timeout/)
    swallowing.swallow(false)
    assert.equal((await sql`select 1`.execute(db)).rows.length, 1)
  })
  swallowing.close()
  await close()
})

test('without a server the first query fails; close is idempotent', async () => {
  const database = openDatabase({ host: '/nonexistent', port: 5432, database: 'x', user: 'x' })
  await assert.rejects(database.pool.query('select 1'), /ENOENT|ENOTDIR/)
  await Promise.all([database.close(), database.close()])
  const other = openDatabase({ host: '/nonexistent', port: 5432, database: 'x', user: 'x' })
  await other.db.destroy()
  await other.close()
})

async function startSwallowingProxy(target: ConnectionSettings) {
  let swallowing = false
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = target.host.startsWith('/')
      ? connect(`${target.host}/.s.PGSQL.${target.port}`)
      : connect(target.port, target.host)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      // Dropped data never arrives later.
      from.on('data', (data) => !swallowing && to.write(data))
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return {
    port: address.port,
    swallow: (on: boolean) => {
      swallowing = on
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
