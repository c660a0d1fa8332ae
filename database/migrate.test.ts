import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { describeOnEachEngine, type FreshDatabase } from './fixtures/engines.ts'
import { noteMigrations } from './fixtures/migrations.ts'
import {
  findPending,
  migrate,
  pendingMigrations,
  readMigrations,
  refusePending,
  refuseServer,
} from './migrate.ts'
import { openDatabase, type Database } from './pool.ts'
import { toUrl, type ConnectionSettings } from './settings.ts'

const schema = noteMigrations.schema
const all = ['0001_note', '0002_note_revision']

/** An empty database and a modifiable copy of the migrations. */
async function withFolder(
  fresh: FreshDatabase,
  fn: (database: Database<object>, folder: string, connection: ConnectionSettings) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  await cp(fileURLToPath(noteMigrations.folder), folder, { recursive: true })
  const { connection, close } = await fresh({ migrated: false })
  const database = openDatabase<object>(connection)
  try {
    await fn(database, folder, connection)
  } finally {
    await database.close()
    await close()
    await rm(folder, { recursive: true })
  }
}

function startMigrator(connection: ConnectionSettings, folder: string) {
  const script = fileURLToPath(new URL('./fixtures/migrator.ts', import.meta.url))
  const child = spawn(process.execPath, [script, toUrl(connection), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part))
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, output }))
  return { ended, kill: () => child.kill('SIGKILL') }
}

describeOnEachEngine('migrate', (fresh) => {
  test('a lock that is not released is told with the session that holds it', async () => {
    await withFolder(fresh, async ({ pool }, folder, connection) => {
      const other = openDatabase<object>(connection, { max: 1, applicationName: 'forgotten' })
      try {
        const held = await other.pool.query<{ pid: number }>(
          'select pg_backend_pid() as pid, pg_advisory_lock(hashtextextended($1, 0))',
          [`bundle-console migrate ${schema}`],
        )
        const pid = held.rows[0]?.pid ?? 0
        await assert.rejects(
          migrate(pool, { schema, folder }, { waitForOthersMs: 1_200 }),
          new RegExp(
            `The session ${pid} \\(forgotten, .*at least 1 seconds.*pg_terminate_backend\\(${pid}\\)`,
          ),
        )
        await other.pool.query('select pg_advisory_unlock_all()')
        assert.deepEqual(await migrate(pool, { schema, folder }), all)
      } finally {
        await other.close()
      }
    })
  })

  test('a lock that was lost on the way ends with what to do', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      await writeFile(join(folder, '0003_lost.sql'), 'select pg_advisory_unlock_all();')
      await assert.rejects(migrate(pool, { schema, folder }), /Set DATABASE_DIRECT_URL/)
    })
  })

  test('runs all, then none, and leaves the session unchanged', async () => {
    await withFolder(fresh, async ({ pool }) => {
      assert.deepEqual(await migrate(pool, noteMigrations), all)
      assert.deepEqual(await migrate(pool, noteMigrations), [])
      const rows = await pool.query(
        'select name, length(sha256) as length from notes.migration order by name',
      )
      assert.deepEqual(
        rows.rows,
        all.map((name) => ({ name, length: 64 })),
      )
      const session =
        await pool.query(`select current_setting('lock_timeout') as lock, current_setting('statement_timeout')
        as statement, current_setting('search_path') as path, (select count(*) from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())) as locks`)
      assert.deepEqual(session.rows, [{ lock: '5s', statement: '30s', path: '"$user", public', locks: 0 }])
    })
  })

  test('with ten concurrent callers each migration runs once', async () => {
    const { connection, close } = await fresh({ migrated: false })
    const replicas = Array.from({ length: 10 }, () => openDatabase(connection, { max: 1 }))
    const ran = await Promise.all(replicas.map(({ pool }) => migrate(pool, noteMigrations)))
    assert.deepEqual(ran.flat(), all)
    await Promise.all(replicas.map((replica) => replica.close()))
    await close()
  })

  test('two schemas in one database are independent', async () => {
    await withFolder(fresh, async ({ pool }) => {
      await Promise.all(['one', 'two'].map((name) => migrate(pool, { ...noteMigrations, schema: name })))
      await pool.query(`insert into one.note (text) values ('x')`)
      assert.deepEqual((await pool.query('select count(*) from two.note')).rows, [{ count: 0 }])
    })
  })

  test('only a new file runs; a failing one is rolled back completely', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      await migrate(pool, { schema, folder })
      const third = join(folder, '0003_third.sql')
      await writeFile(third, 'create table third (id int); insert into third values (1); select 1 / 0;')
      await assert.rejects(
        migrate(pool, { schema, folder }),
        /0003_third .* failed and was rolled back: division by zero\. Remove the cause, then migrate again\.$/,
      )
      await pool.query(`create table ${schema}.third ()`)
      await writeFile(third, 'create table third (id int);')
      await assert.rejects(
        migrate(pool, { schema, folder }),
        /relation "third" already exists\. The schema was changed by something else .* restore a backup/,
      )
      await pool.query(`drop table ${schema}.third`)
      assert.deepEqual(await migrate(pool, { schema, folder }), ['0003_third'])
    })
  })

  test('a migration in batches keeps what it committed, and runs again after an interruption', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      await migrate(pool, { schema, folder })
      await pool.query(`insert into notes.note (text) select 'x' || n from generate_series(1, 10) n`)
      const third = join(folder, '0003_third.sql')
      const batches = (last: number) => `-- batches: a test
        do $$ begin
          for n in 1..${last} loop
            update notes.note set text = upper(text) where text = 'x' || n;
            commit;
          end loop;
          if ${last} < 10 then perform 1 / 0; end if;
        end $$`
      await writeFile(third, batches(4))
      await assert.rejects(
        migrate(pool, { schema, folder }),
        /0003_third .* failed; the next run continues: division by zero/,
      )
      const upper = async () => (await pool.query(`select from notes.note where text like 'X%'`)).rowCount
      assert.equal(await upper(), 4)
      assert.deepEqual(await findPending(pool, { schema, folder }), ['0003_third'])
      await writeFile(third, batches(10))
      assert.deepEqual(await migrate(pool, { schema, folder }), ['0003_third'])
      assert.equal(await upper(), 10)
      assert.deepEqual(await migrate(pool, { schema, folder }), [])
    })
  })

  test('a batch that waits too long for a lock is tried again', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      await migrate(pool, { schema, folder })
      await pool.query(`insert into notes.note (text) values ('x')`)
      await writeFile(
        join(folder, '0003_third.sql'),
        `-- batches: a test
        do $$ begin
          set local lock_timeout = 200;
          update notes.note set text = 'y';
          commit;
        end $$`,
      )
      const holder = await pool.connect()
      await holder.query('begin; select from notes.note for update')
      const migrating = migrate(pool, { schema, folder })
      await sleep(400)
      await holder.query('commit')
      holder.release()
      assert.deepEqual(await migrating, ['0003_third'])
      assert.deepEqual((await pool.query('select text from notes.note')).rows, [{ text: 'y' }])
    })
  })

  test('a replaced text does not run again, and old programs accept what the new one recorded', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      const second = join(folder, '0002_note_revision.sql')
      const text = await readFile(second, 'utf8')
      const { sha256 = '' } = (await readMigrations(folder))[1] ?? {}
      const replaced = `-- replaces: ${sha256}\n${text}`
      await migrate(pool, { schema, folder })
      await writeFile(second, replaced)
      assert.deepEqual(await migrate(pool, { schema, folder }), [])
      await migrate(pool, { schema: 'other', folder })
      await writeFile(second, text)
      assert.deepEqual(await migrate(pool, { schema: 'other', folder }), [])
    })
  })

  test('rejects a file that changed after it ran, except for line endings', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      await migrate(pool, { schema, folder })
      const first = join(folder, '0001_note.sql')
      const text = await readFile(first, 'utf8')
      await writeFile(first, text.replaceAll('\n', '\r\n'))
      assert.deepEqual(await migrate(pool, { schema, folder }), [])
      await writeFile(first, `${text}-- a word\n`)
      await assert.rejects(
        migrate(pool, { schema, folder }),
        /0001_note of the schema "notes" was changed after it ran/,
      )
    })
  })

  test('rejects a newer schema that this version cannot use', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      for (const [name, sql] of [
        ['0003_breaking.sql', '-- breaking: a test\nselect 1;'],
        ['0003_contract.sql', '-- contract: 0003\nselect 1;'],
      ] as const) {
        await writeFile(join(folder, name), sql)
        await migrate(pool, { schema, folder })
        await rm(join(folder, name))
        const newer = name.slice(0, -'.sql'.length)
        await assert.rejects(
          migrate(pool, { schema, folder }),
          new RegExp(
            `^Error: The database schema "notes" was brought to ${newer} by a newer version of this program; this version knows it up to 0002_note_revision\\. Start the newer version`,
          ),
        )
        await assert.rejects(findPending(pool, { schema, folder }), new RegExp(newer))
        await pool.query('delete from notes.migration where name = $1', [newer])
      }
    })
  })

  test('continues beside a newer schema that only adds, or removes what this version does not use', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      const added = join(folder, '0003_added.sql')
      const removed = join(folder, '0004_removed.sql')
      await writeFile(added, 'create table added (id int);')
      await writeFile(removed, '-- contract: 0002\ndrop table added;')
      assert.deepEqual(await migrate(pool, { schema, folder }), [...all, '0003_added', '0004_removed'])
      await rm(added)
      await rm(removed)
      assert.deepEqual(await migrate(pool, { schema, folder }), [])
      assert.deepEqual(await findPending(pool, { schema, folder }), [])
    })
  })

  test('finds what is pending and changes nothing, also on a table of a version without "needs"', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      assert.deepEqual(await findPending(pool, { schema, folder }), all)
      await assert.rejects(
        refusePending(pool, { schema, folder }),
        /lacks 2 migrations \(up to 0002_note_revision\)/,
      )
      const found = await pool.query('select to_regnamespace($1) as schema', [schema])
      assert.deepEqual(found.rows, [{ schema: null }])
      await migrate(pool, { schema, folder })
      await pool.query('alter table notes.migration drop column needs')
      assert.deepEqual(await findPending(pool, { schema, folder }), [])
      await refusePending(pool, { schema, folder })
      await migrate(pool, { schema, folder })
    })
  })

  test('rejects a database that cannot store every text', async () => {
    await withFolder(fresh, async ({ pool }) => {
      const { connection, close } = await fresh({ migrated: false })
      const database = `${connection.database}_ascii`
      await pool.query(
        `create database ${database} template template0 encoding 'SQL_ASCII' locale_provider libc lc_collate 'C' lc_ctype 'C'`,
      )
      const ascii = openDatabase({ ...connection, database })
      await assert.rejects(
        migrate(ascii.pool, noteMigrations),
        /has the encoding SQL_ASCII; create one with UTF8/,
      )
      await ascii.close()
      await pool.query(`drop database ${database}`)
      await close()
    })
  })

  test('leaves the schema of another program or user as it is', async () => {
    await withFolder(fresh, async ({ pool }, folder, connection) => {
      const source = { schema, folder }
      await pool.query(`create schema ${schema}; create table ${schema}.job (id int)`)
      const foreign =
        /^Error: The schema "notes" of the database has tables of another program\. Name another/
      await assert.rejects(migrate(pool, source), foreign)
      await assert.rejects(findPending(pool, source), foreign)
      const role = `other_${connection.database}`.slice(0, 60)
      await pool.query(`drop table ${schema}.job; create role ${role} login password 'other'`)
      const other = openDatabase<object>({ ...connection, user: role, password: 'other' })
      try {
        const owned =
          /^Error: The schema "notes" of the database belongs to the user ".+"\. Make the user of DATABASE_URL its/
        await assert.rejects(migrate(other.pool, source), owned)
        await assert.rejects(refusePending(other.pool, source), owned)
      } finally {
        await other.close()
        await pool.query(`drop owned by ${role}; drop role ${role}`)
      }
      // an empty one that was made beforehand is used
      assert.deepEqual(await migrate(pool, source), all)
    })
  })

  test('with four concurrent processes each migration runs once', async () => {
    await withFolder(fresh, async (_, folder, connection) => {
      await writeFile(join(folder, '0003_slow.sql'), 'create table slow (id int); select pg_sleep(0.3);')
      const migrators = [1, 2, 3, 4].map(() => startMigrator(connection, folder))
      const ran = await Promise.all(migrators.map(({ ended }) => ended))
      assert.deepEqual(
        ran.map(({ code }) => code),
        [0, 0, 0, 0],
      )
      assert.deepEqual(
        ran.flatMap(({ output }) => JSON.parse(output)),
        [...all, '0003_slow'],
      )
    })
  })

  test('a process killed during a migration leaves nothing behind, and the next one continues soon', async () => {
    await withFolder(fresh, async ({ pool }, folder, connection) => {
      const third = join(folder, '0003_third.sql')
      await writeFile(third, 'create table third (id int); select pg_sleep(120);')
      const migrator = startMigrator(connection, folder)
      const asleep = `select from pg_stat_activity
        where datname = current_database() and query like '%pg_sleep(120)%' and pid <> pg_backend_pid()`
      while ((await pool.query(asleep)).rowCount === 0) await sleep(20)
      migrator.kill()
      await migrator.ended
      await writeFile(third, 'create table third (id int);')
      assert.deepEqual(await migrate(pool, { schema, folder }), ['0003_third'])
      // the server has noticed that the client is gone; it frees the lock before the session leaves the list
      const end = performance.now() + 60_000
      while ((await pool.query(asleep)).rowCount !== 0) {
        assert.ok(performance.now() < end, 'the session of the killed process is still there')
        await sleep(20)
      }
    })
  })

  test('a migration that meets a deadlock is tried again', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      await writeFile(join(folder, '0003_more.sql'), 'create table one (); create table two ();')
      await migrate(pool, { schema, folder })
      await writeFile(
        join(folder, '0004_columns.sql'),
        `alter table two add column added text; alter table one add column added text;`,
      )
      const other = await pool.connect()
      try {
        // so that the server aborts the migration, even if this session begins to wait much later
        await other.query(`set deadlock_timeout = '1min'; set lock_timeout = 0`)
        await other.query(`begin; lock table ${schema}.one in access exclusive mode`)
        const migrating = migrate(pool, { schema, folder })
        const isWaiting = async (): Promise<boolean> => {
          const { rows } = await other.query<{ waits: boolean }>(
            `select exists (select from pg_locks where not granted and relation = '${schema}.one'::regclass) as waits`,
          )
          return rows[0]?.waits === true
        }
        while (!(await isWaiting())) await sleep(10)
        const { rows } = await other
          .query(`lock table ${schema}.two in access exclusive mode; select 1 as held`)
          .then((results) => (results as unknown as { rows: unknown[] }[]).at(-1) ?? { rows: [] })
        assert.deepEqual(rows, [{ held: 1 }])
        await other.query('commit')
        assert.deepEqual(await migrating, ['0004_columns'])
      } finally {
        other.release(true)
      }
    })
  })

  test('a lost session releases its lock: the next one migrates', async () => {
    await withFolder(fresh, async ({ pool }, folder) => {
      await writeFile(join(folder, '0003_cut.sql'), 'select pg_terminate_backend(pg_backend_pid());')
      await assert.rejects(migrate(pool, { schema, folder }))
      await rename(join(folder, '0003_cut.sql'), join(folder, '0003_whole.sql'))
      await writeFile(join(folder, '0003_whole.sql'), 'select 1;')
      assert.deepEqual(await migrate(pool, { schema, folder }), ['0003_whole'])
    })
  })
})

test('runs on PostgreSQL 15 and newer only', () => {
  assert.throws(() => refuseServer(140_023, 'UTF8'), /is PostgreSQL 14; 15 or newer is needed/)
  assert.throws(() => refuseServer(90_624, 'UTF8'), /is PostgreSQL 9; 15/)
  assert.throws(() => refuseServer(180_000, 'LATIN1'), /has the encoding LATIN1; create one with UTF8/)
  refuseServer(150_000, 'UTF8')
  refuseServer(180_004, 'UTF8')
})

test('the applied migrations must match the folder', () => {
  const file = (name: string) => ({ name, sql: '', sha256: name })
  const done = (name: string) => ({ name, sha256: name, needs: null })
  const pending = (files: string[], applied: string[]) =>
    pendingMigrations('s', files.map(file), applied.map(done)).map(({ name }) => name)
  assert.deepEqual(pending(['0001_a', '0002_b', '0003_c'], ['0001_a']), ['0002_b', '0003_c'])
  assert.deepEqual(pending([], []), [])
  assert.throws(
    () => pending(['0001_a', '0002_b'], ['0001_x', '0002_b']),
    /0001_x ran on .* but its file is missing/,
  )
  assert.throws(
    () => pending(['0001_a', '0002_b'], ['0002_b']),
    /0001_a sorts before 0002_b, which already ran/,
  )
  assert.throws(() => pending([], ['0001_a']), /this version knows it up to nothing/)
  for (const second of ['0002_installations_by_place', '0002_saved_view_request'])
    assert.throws(
      () => pending(['0001_initial'], ['0001_initial', second]),
      /^Error: The database schema "s" is of a version before 0\.1\.0, .* Nothing was changed\. Make a backup .* and restore it/,
    )
})

test('rejects file names with a gap, a duplicate number or another form', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  const refused = async (names: string[]) => {
    for (const name of names) await writeFile(join(folder, name), 'select 1')
    await assert.rejects(readMigrations(folder), /should be named 000\d_name\.sql/)
    for (const name of names) await rm(join(folder, name))
  }
  await refused(['0002_b.sql'])
  await refused(['0001_a.sql', '0003_c.sql'])
  await refused(['0001_a.sql', '0001_b.sql'])
  await refused(['0001-a.sql'])
  await refused(['1_a.sql'])
  await rm(folder, { recursive: true })
})
