import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createLog } from '#http-kit/log.ts'
import { startPurging } from './database.ts'
import { openBffDatabase } from './testing.ts'

test('everything expired is deleted without a sign-in, and nothing else', async (t) => {
  const { db, close } = await openBffDatabase()
  const started: ReturnType<typeof startPurging>[] = []
  t.after(async () => {
    await Promise.all(started.map((purging) => purging.stop()))
    await close()
  })
  const add = (count: number, age: string) =>
    sql`
    with numbers as (select generate_series(1, ${count}) as n),
      records as (
        insert into bff.idp_record (id_hash, kind, payload, expires_at)
        select sha256((${age} || n)::bytea), 'Interaction', '{}', clock_timestamp() - ${age}::interval from numbers
      ),
      sign_ins as (
        insert into bff.sign_in (state_hash, browser_hash, return_to, created_at)
        select sha256((${age} || n)::bytea), ''::bytea, '/',
          clock_timestamp() - ${age}::interval - interval '10 minutes' from numbers
      )
    insert into bff.session (id_hash, iss, sub, name, roles, created_at, last_seen_at)
    select sha256((${age} || n)::bytea), 'i', 's', 'n', '[]', clock_timestamp(),
      clock_timestamp() - ${age}::interval - interval '15 minutes' from numbers`.execute(db)
  const count = async (): Promise<number[]> => {
    const { rows } = await sql<{ counts: number[] }>`
      select array[(select count(*) from bff.idp_record), (select count(*) from bff.sign_in),
        (select count(*) from bff.session)]::int[] as counts`.execute(db)
    return rows[0]?.counts ?? []
  }
  const until = async (expected: number[]): Promise<void> => {
    for (let left = 200; left > 0; left--) {
      if (String(await count()) === String(expected)) return
      await sleep(50)
    }
    assert.deepEqual(await count(), expected)
  }

  await add(3_500, '1 second')
  await add(3, '-5 minutes')
  const log = createLog({ name: 'test', level: 'silent' })
  const limits = { idleSeconds: 900, absoluteSeconds: 28_800 }
  started.push(startPurging({ db, limits, log }))
  await until([3, 3, 3])
  await started[0]?.stop()
  started.push(startPurging({ db, limits, log, intervalMs: 50 }))
  await add(2, '2 seconds')
  await until([3, 3, 3])
})
