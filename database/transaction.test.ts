import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { sql } from 'kysely'

import { noteMigrations } from './fixtures/migrations.ts'
import { openDatabase, type Database } from './pool.ts'
import { testDatabase } from './testing.ts'
import { inTransaction, isPgError, PG } from './transaction.ts'

type Tables = { 'notes.note': { text: string; revision: number } }

async function withNotes(fn: (database: Database<Tables>) => Promise<void>): Promise<void> {
  const { connection, close } = await testDatabase({ migrations: [noteMigrations] })
  const database = openDatabase<Tables>(connection)
  try {
    await database.pool.query(`insert into notes.note (text) values ('a'), ('b')`)
    await fn(database)
  } finally {
    await database.close()
    await close()
  }
}

const revisions = async ({ db }: Database<Tables>) =>
  (await db.selectFrom('notes.note').select('revision').orderBy('text').execute()).map(
    ({ revision }) => revision,
  )

describe('transaction', () => {
  test('throws what the commit throws', async () => {
    await withNotes(async (database) => {
      await database.pool.query('create table notes.once (n int unique deferrable initially deferred)')
      const same = inTransaction(database.db, async (tx) => {
        await sql`insert into notes.once values (1), (1)`.execute(tx)
        return 'done'
      })
      await assert.rejects(same, (error) => isPgError(error, PG.uniqueViolation))
    })
  })

  test('commits when the function returns, rolls back when it throws', async () => {
    await withNotes(async (database) => {
      const { db } = database
      const set = (revision: number) => sql`update notes.note set revision = ${revision}`
      assert.equal(await inTransaction(db, async (tx) => (await set(2).execute(tx), 'done')), 'done')
      const fail = inTransaction(db, async (tx) => {
        await set(3).execute(tx)
        throw new TypeError('no')
      })
      await assert.rejects(fail, TypeError)
      assert.deepEqual(await revisions(database), [2, 2])
    })
  })

  test('a deadlock is retried, and both changes are committed', async () => {
    await withNotes(async (database) => {
      let tries = 0
      // Both lock their first row before either requests its second.
      let holding = 0
      let both = () => {}
      const bothHold = new Promise<void>((done) => (both = done))
      const bump = (order: [string, string]) =>
        inTransaction(database.db, async (tx) => {
          tries++
          for (const text of order) {
            await sql`update notes.note set revision = revision + 1 where text = ${text}`.execute(tx)
            if (++holding === 2) both()
            await bothHold
          }
        })
      await Promise.all([bump(['a', 'b']), bump(['b', 'a'])])
      assert.ok(tries > 2)
      assert.deepEqual(await revisions(database), [3, 3])
    })
  })

  test('serialization failures are retried until all increments are committed', async () => {
    await withNotes(async (database) => {
      const increment = () =>
        inTransaction(
          database.db,
          async (tx) => {
            const read = await sql<{
              revision: number
            }>`select revision from notes.note where text = 'a'`.execute(tx)
            const next = (read.rows[0]?.revision ?? 0) + 1
            await sql`update notes.note set revision = ${next} where text = 'a'`.execute(tx)
          },
          { isolation: 'serializable', attempts: 50 },
        )
      await Promise.all(Array.from({ length: 8 }, increment))
      assert.deepEqual(await revisions(database), [9, 1])
    })
  })

  test('gives up after the given attempts, and retries no other errors', async () => {
    await withNotes(async ({ db }) => {
      const triesOf = async (code: string, attempts: number) => {
        let tries = 0
        const failing = inTransaction(
          db,
          async (tx) => {
            tries++
            await sql`do ${sql.raw(`$$ begin raise exception 'x' using errcode = '${code}'; end $$`)}`.execute(
              tx,
            )
          },
          { attempts },
        )
        await assert.rejects(
          failing,
          (error) => error instanceof Error && 'code' in error && error.code === code,
        )
        return tries
      }
      assert.equal(await triesOf(PG.serializationFailure, 3), 3)
      assert.equal(await triesOf(PG.uniqueViolation, 3), 1)
      assert.equal(await triesOf(PG.lockNotAvailable, 3), 1)
    })
  })

  test('an error is recognized by its code', async () => {
    await withNotes(async ({ pool }) => {
      const error: unknown = await pool
        .query(`insert into notes.note (text) values ('a')`)
        .catch((e: unknown) => e)
      assert.ok(isPgError(error, PG.uniqueViolation))
      assert.equal(error.constraint, 'note_text_key')
      assert.ok(!isPgError(error, PG.checkViolation))
      assert.ok(!isPgError({ code: PG.uniqueViolation }, PG.uniqueViolation))
    })
  })
})
