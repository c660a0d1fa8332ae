import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from './pool.ts'
import { RecurringStatements } from './recurring.ts'
import { testDatabase } from './testing.ts'
import { whyUnavailable } from './unreachable.ts'

const NAME = `recurring_${createHash('sha256').update('select $1').digest('hex').slice(0, 32)}`

suite('recurring statements', () => {
  test('get a name the third time, and keep it', () => {
    const statements = new RecurringStatements()
    assert.deepEqual(
      [1, 2, 3, 4].map(() => statements.nameOf('select $1') ?? null),
      [null, null, NAME, NAME],
    )
  })

  test('get the same name only for the same text, on every connection', () => {
    const name = (text: string) => {
      const statements = new RecurringStatements()
      statements.nameOf(text)
      statements.nameOf(text)
      return statements.nameOf(text)
    }
    assert.equal(name('select $1'), name('select $1'))
    assert.notEqual(name('select $1'), name('select $2'))
  })

  test('leave room for others, however many differ', () => {
    const statements = new RecurringStatements()
    for (let index = 0; index < 10_000; index++) assert.equal(statements.nameOf(`select ${index}`), undefined)
    const named = Array.from({ length: 300 }, (_, index) => {
      for (let times = 0; times < 2; times++) statements.nameOf(`select $1 + ${index}`)
      return statements.nameOf(`select $1 + ${index}`)
    })
    assert.equal(named.filter((name) => name !== undefined).length, 100)
  })

  test('are prepared on the connection, and a table that changes under them costs one connection', async () => {
    const database = await testDatabase({ migrations: [] })
    const { db, close } = openDatabase<object>(database.connection, { max: 1, prepareRecurring: true })
    try {
      await sql`create table thing (id integer)`.execute(db)
      const read = () => sql`select * from thing where id = ${1}`.execute(db)
      for (let times = 0; times < 8; times++) await read()
      const prepared = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(db)
      assert.match(prepared.rows.map(({ name }) => name).join(), /^recurring_[0-9a-f]{32}$/)
      await sql`alter table thing add column title text`.execute(db)
      await assert.rejects(read(), (error) => {
        assert.match(String(error), /cached plan must not change result type/)
        // a request that meets it may be repeated, and an item of a batch has not failed
        assert.deepEqual(whyUnavailable(error), { reason: 'its schema has changed' })
        return true
      })
      assert.deepEqual((await read()).rows, [])
    } finally {
      await close()
      await database.close()
    }
  })

  test('keep using indexes, even if they were planned while tables were small', async () => {
    const database = await testDatabase({ migrations: [] })
    const { db, close } = openDatabase<object>(database.connection, { max: 1, prepareRecurring: true })
    try {
      await sql`create table thing (id integer primary key, seen integer)`.execute(db)
      const fill = (from: number, to: number) =>
        sql.raw(`insert into thing select id, 0 from generate_series(${from}, ${to}) id`).execute(db)
      const see = () =>
        sql`update thing set seen = seen + 1 from unnest(${[3, 5]}::integer[]) one (id) where thing.id = one.id`.execute(
          db,
        )
      const readThrough = async () => {
        await sql`select pg_stat_force_next_flush()`.execute(db)
        const { rows } = await sql<{ read: number }>`
          select seq_tup_read::integer as read from pg_stat_user_tables where relname = 'thing'`.execute(db)
        return rows[0]?.read
      }
      await fill(1, 20)
      await sql`analyze thing`.execute(db)
      for (let times = 0; times < 8; times++) await see()
      await fill(21, 1000)
      const before = await readThrough()
      await see()
      assert.equal(await readThrough(), before)
      const planned = await sql<{ ones: number; kept: number }>`
        select custom_plans::integer as ones, generic_plans::integer as kept from pg_prepared_statements
        where statement like 'update thing%'`.execute(db)
      assert.deepEqual(planned.rows, [{ ones: 0, kept: 7 }])
    } finally {
      await close()
      await database.close()
    }
  })

  // what a pooler without support for prepared statements does to a client
  for (const [what, disturb] of [
    ['does not know the name', sql`deallocate all`],
    ['knows it already', null],
  ] as const)
    test(`are no longer prepared after another session ${what}`, async () => {
      const database = await testDatabase({ migrations: [] })
      const { db, close } = openDatabase<object>(database.connection, { max: 1, prepareRecurring: true })
      const read = async () => (await sql<{ value: string }>`select ${'a'}::text as value`.execute(db)).rows
      const names = async () =>
        (await sql<{ name: string }>`select name from pg_prepared_statements`.execute(db)).rows
      try {
        const expected = [{ value: 'a' }]
        if (disturb === null) {
          const statements = new RecurringStatements()
          const text = 'select $1::text as value'
          const [, , name] = [1, 2, 3].map(() => statements.nameOf(text))
          await sql.raw(`prepare ${name} (text) as ${text}`).execute(db)
          for (let times = 0; times < 2; times++) assert.deepEqual(await read(), expected)
        } else {
          for (let times = 0; times < 4; times++) assert.deepEqual(await read(), expected)
          assert.equal((await names()).length, 1)
          await disturb.execute(db)
        }
        await assert.rejects(read(), /prepared statement "recurring_[0-9a-f]{32}" (does not|already) exist/)
        const before = await names()
        for (let times = 0; times < 8; times++) assert.deepEqual(await read(), expected)
        assert.deepEqual(await names(), before)
      } finally {
        await close()
        await database.close()
      }
    })
})
