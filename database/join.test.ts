import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'

import { joinServer } from './join.ts'
import { openServer } from './open.ts'
import { openDatabase } from './pool.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }
const dataDir = mkdtempSync(join(tmpdir(), 'join-'))
const options = { databaseUrl: null, dataDir, log: silent }
after(() => rmSync(dataDir, { recursive: true }))

async function databaseOf(server: Awaited<ReturnType<typeof openServer>>): Promise<string> {
  const { pool, close } = openDatabase(server.connection)
  const found = await pool.query<{ name: string }>(
    `select current_database() || ' ' || pg_postmaster_start_time() as name`,
  )
  await close()
  return found.rows[0]?.name ?? ''
}

it('a command joins the server of a running program, or starts one; it never creates a database', async () => {
  await assert.rejects(joinServer(options), /There is no database in DATA_DIR/)
  const program = await openServer(options)
  const running = await databaseOf(program)
  const joined = await joinServer(options)
  assert.equal(await databaseOf(joined), running)
  await joined.stop()
  assert.equal(await databaseOf(program), running, 'closing a joined server does not stop it')
  await program.stop()

  const started = await joinServer(options)
  const other = await databaseOf(started)
  assert.notEqual(other, running)
  assert.equal(other.split(' ')[0], running.split(' ')[0])
  await started.stop()
})
