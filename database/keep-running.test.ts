import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openServer } from './open.ts'
import { clientConfig } from './settings.ts'
import type { ConnectionSettings } from './settings.ts'
import { smallDisk } from './testing-small-disk.ts'

// Runs a whole server on a disk that fills up: PostgreSQL stops when it cannot write its log.

const probe = smallDisk(1)
probe?.remove()
const skip = probe === null && 'this user may not mount a file system'

const ignore = () => {}

/** Runs one statement on its own connection. */
async function run(connection: ConnectionSettings, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...clientConfig(connection), connectionTimeoutMillis: 5_000 })
  client.on('error', ignore)
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end().catch(ignore)
  }
}

test('an embedded server stopped by a full disk restarts when there is space', { skip }, async (t) => {
  const disk = smallDisk(256)
  assert.ok(disk !== null)
  const stopped = Promise.withResolvers<void>()
  const error = (_: object, message: string) => {
    if (message.startsWith('the database has stopped: no space is left')) stopped.resolve()
  }
  const server = await openServer({
    databaseUrl: null,
    dataDir: join(disk.path, 'data'),
    log: { info: ignore, warn: ignore, error },
  })
  t.after(async () => {
    await server.stop()
    disk.remove()
  })
  let hasFailed = false
  void server.failed.then(() => {
    hasFailed = true
  })
  const { connection } = server
  await run(connection, 'create table note (id integer primary key)')
  await run(connection, 'insert into note values (0)')
  const isGone = stopped.promise.then(() => true)

  disk.fill()
  const acknowledged = [0]
  for (let id = 1; !(await Promise.race([isGone, sleep(10, false)])); id++) {
    assert.ok(id < 500, 'the disk is full, but the server keeps running')
    // the table has room for the row, but each switch starts another log file
    const isDone = await run(connection, `insert into note values (${id})`).then(
      () => true,
      () => false,
    )
    if (isDone) acknowledged.push(id)
    await run(connection, 'select pg_switch_wal()').catch(ignore)
  }
  await assert.rejects(run(connection, 'select 1'))
  assert.equal(hasFailed, false)

  disk.free()
  const deadline = Date.now() + 30_000
  let stored: pg.QueryResult | null = null
  while (stored === null) {
    assert.ok(Date.now() < deadline, 'it does not restart')
    stored = await run(connection, 'select id from note order by id').catch(() => null)
    if (stored === null) await sleep(100)
  }
  assert.deepEqual(
    stored.rows.map(({ id }: { id: number }) => id),
    acknowledged,
  )
  await run(connection, 'insert into note values (-1)')
  assert.equal(hasFailed, false)
})

test('it can be stopped while it waits for space', { skip }, async (t) => {
  const disk = smallDisk(256)
  assert.ok(disk !== null)
  t.after(() => disk.remove())
  const stopped = Promise.withResolvers<void>()
  const log = { info: ignore, warn: ignore, error: () => stopped.resolve() }
  const server = await openServer({ databaseUrl: null, dataDir: join(disk.path, 'data'), log })
  const { connection } = server
  await run(connection, 'create table note (id integer)')
  // a session writes its init file after a schema change, which fails on a full disk
  await run(connection, 'insert into note values (0)')
  disk.fill()
  const isGone = stopped.promise.then(() => true)
  while (!(await Promise.race([isGone, sleep(10, false)])))
    await run(connection, 'insert into note values (1); select pg_switch_wal()').catch(ignore)
  await server.stop()
})
