import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '#database/free-port.ts'
import { findPending } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { systemClock } from '#http-kit/clock.ts'
import { BARE_ENVIRONMENT } from '#http-kit/testing-programs.ts'
import { Keyring } from './keys/keyring.ts'
import { openVault } from './keys/open-vault.ts'
import type { RuntimeTables } from './model/tables.ts'
import { RUNTIME_MIGRATIONS } from './store/migrations.ts'
import { until } from './testing/stream.ts'

// Whole processes, as `npm run start:runtime` starts them.

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const RUN = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url))
const API = '/bundle-runtime/api'

let folder: string
let database: TestDatabase
let keys: string
let sealingKey: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'main-'))
  keys = join(folder, 'keys.json')
  writeFileSync(keys, '{"keys":[]}')
  sealingKey = join(folder, 'sealing.key')
  writeFileSync(sealingKey, randomBytes(32).toString('base64'), { mode: 0o600 })
  database = await testDatabase({ migrations: [] })
})
after(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

interface Replica {
  url: string
  out: () => string
  errors: () => string
  ended: Promise<number | null>
  stop(): void
}

let made = 0

async function start(
  args: readonly string[],
  env: Record<string, string> = {},
  program = MAIN,
): Promise<Replica> {
  const port = await freePort()
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...BARE_ENVIRONMENT,
      RUNTIME_PORT: String(port),
      DATA_DIR: join(folder, `data-${++made}`),
      DATABASE_URL: toUrl(database.connection),
      SEALING_KEY_FILE: sealingKey,
      ...env,
    },
  })
  const said = { out: '', errors: '' }
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said.out += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said.errors += part))
  return {
    url: `http://127.0.0.1:${port}${API}`,
    out: () => said.out,
    errors: () => said.errors,
    ended: once(child, 'close').then(([code]: (number | null)[]) => code ?? null),
    stop: () => void child.kill('SIGTERM'),
  }
}

const withApi = () => ({ RUNTIME_API_CREDENTIAL: 'a-shared-credential', ACTOR_ASSERTION_JWKS: keys })

async function isReady(replica: Replica): Promise<void> {
  await until(async () => {
    assert.equal(replica.errors(), '')
    return await fetch(`${replica.url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  })
}

async function stopsCleanly(replica: Replica): Promise<void> {
  replica.stop()
  assert.equal(await replica.ended, 0, replica.errors())
  assert.equal(replica.errors(), '')
}

async function isRefused(replica: Replica, line: RegExp): Promise<void> {
  assert.equal(await replica.ended, 1)
  assert.match(replica.errors(), line)
  assert.equal(replica.errors().trim().split('\n').length, 1, replica.errors())
}

describe('a replica', () => {
  it('refuses a wrong sealing key before it changes the schema (H01)', async (t) => {
    const older = await testDatabase({ migrations: [RUNTIME_MIGRATIONS] })
    const { db, pool, close } = openDatabase<RuntimeTables>(older.connection)
    t.after(async () => {
      await close()
      await older.close()
    })
    // as if the schema had its newest migration still before it, which would fail
    await pool.query('delete from runtime.migration where name = (select max(name) from runtime.migration)')
    await openVault(new Keyring(systemClock), db, { dataDir: folder, files: [sealingKey] })
    const pending = await findPending(pool, RUNTIME_MIGRATIONS)
    assert.ok(pending.length > 0)
    const otherKey = join(folder, 'other.key')
    writeFileSync(otherKey, randomBytes(32).toString('base64'), { mode: 0o600 })
    await isRefused(
      await start(['--worker'], { DATABASE_URL: toUrl(older.connection), SEALING_KEY_FILE: otherKey }),
      /does not open the sealed values of this database/,
    )
    assert.deepEqual(await findPending(pool, RUNTIME_MIGRATIONS), pending)
  })

  it('rejects a wrong option or setting in one line', async () => {
    await isRefused(await start(['--wurker']), /^--wurker is not an option; use --api or --worker/)
    await isRefused(await start([]), /^RUNTIME_API_CREDENTIAL is not set/)
    await isRefused(await start(['--api']), /^RUNTIME_API_CREDENTIAL is not set/)
    await isRefused(
      await start(['--worker'], { DATABASE_POOL_SIZE: '0' }),
      /^DATABASE_POOL_SIZE is wrong: a whole number from 2 to 500 is needed/,
    )
    const away = `postgresql://jon@127.0.0.1:${await freePort()}/console`
    await isRefused(
      // although the database would be awaited
      await start(['--worker'], { DATABASE_URL: away, SEALING_KEY_FILE: join(folder, 'none.key') }),
      /^SEALING_KEY_FILE is wrong: .* does not exist; restore it/,
    )
  })

  it('reports in one line that the database cannot be used', async () => {
    const away = `postgresql://jon:canary@127.0.0.1:${await freePort()}/console`
    const replica = await start(['--worker'], { DATABASE_URL: away, DATABASE_WAIT_SECONDS: '0' })
    await isRefused(
      replica,
      /^The database at .* cannot be used: nothing listens there\. Check the server and the database URL\.\n$/,
    )
    assert.ok(!replica.errors().includes('canary'))
  })

  it('stops at once and successfully while it waits for the database', async () => {
    const away = `postgresql://jon:canary@127.0.0.1:${await freePort()}/console`
    const replica = await start(['--worker'], { DATABASE_URL: away, DATABASE_WAIT_SECONDS: '3600' })
    await until(() => replica.out().includes('waiting for the database'))
    assert.ok(!replica.out().includes('ECONNREFUSED'))
    await stopsCleanly(replica)
  })

  it('migrates once with three replicas that start at the same time', async () => {
    const replicas = await Promise.all([1, 2, 3, 4].map(() => start([], withApi())))
    await Promise.all(replicas.map(isReady))
    const migrating = replicas.filter((replica) => replica.out().includes('schema brought up to date'))
    assert.equal(migrating.length, 1)
    await Promise.all(replicas.map(stopsCleanly))
  })

  it('waits and starts again if its connection is lost during the start', async () => {
    const { pool, close } = openDatabase(database.connection)
    const blocker = await pool.connect()
    // the lock of another migration blocks the replica during its start
    await blocker.query(`select pg_advisory_lock(hashtextextended('bundle-console migrate runtime', 0))`)
    const replica = await start(['--worker'])
    const cut = async () => {
      const { rowCount } = await blocker.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'bundle-runtime' and wait_event = 'advisory' and datname = current_database()`,
      )
      return rowCount === 1
    }
    await until(cut)
    await until(() => replica.out().includes('the database went away during the start: it is stopping'))
    await until(cut)
    await blocker.query('select pg_advisory_unlock_all()')
    blocker.release()
    await close()
    await isReady(replica)
    await stopsCleanly(replica)
  })

  it('stops with one line when the time for the start is over', async () => {
    const { pool, close } = openDatabase(database.connection)
    const blocker = await pool.connect()
    await blocker.query(`select pg_advisory_lock(hashtextextended('bundle-console migrate runtime', 0))`)
    const replica = await start(['--worker'], { DATABASE_WAIT_SECONDS: '0' })
    await until(async () => {
      const { rowCount } = await blocker.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'bundle-runtime' and wait_event = 'advisory' and datname = current_database()`,
      )
      return rowCount === 1
    })
    await isRefused(replica, /^The database went away during the start: it is stopping\.\n$/)
    blocker.release(true)
    await close()
  })

  it('runs operations with --worker, serves only health and metrics, and needs no caller credentials', async () => {
    const replica = await start(['--worker'])
    await isReady(replica)
    assert.match(replica.out(), /the worker is running; its port serves only health and metrics/)
    assert.equal((await fetch(`${replica.url}/healthz`)).status, 200)
    assert.match(await (await fetch(`${replica.url}/metrics`)).text(), /^bundle_runtime_database_up 1$/m)
    assert.equal((await fetch(`${replica.url}/installations`)).status, 404)
    await stopsCleanly(replica)
  })

  it('serves the API with --api and leaves operations to other replicas', async () => {
    const replica = await start(['--api'], withApi())
    await isReady(replica)
    assert.match(replica.out(), /other replicas run the operations/)
    assert.equal((await fetch(`${replica.url}/installations`)).status, 401)
    await stopsCleanly(replica)
  })

  it('recognizes the option even if npm has consumed it', async () => {
    const replica = await start(['start:runtime'], { npm_config_worker: 'true' }, RUN)
    await isReady(replica)
    assert.match(replica.out(), /its port serves only health and metrics/)
    await stopsCleanly(replica)
  })

  it('is not ready as soon as it is asked to stop, and answers while it drains', async () => {
    const replica = await start(['--worker'], { SHUTDOWN_DELAY_SECONDS: '2' })
    await isReady(replica)
    replica.stop()
    await until(async () => (await fetch(`${replica.url}/readyz`)).status === 503)
    assert.equal((await fetch(`${replica.url}/healthz`)).status, 200)
    assert.equal(await replica.ended, 0)
  })

  it('refuses a newer schema', async () => {
    const { pool, close } = openDatabase(database.connection)
    await pool.query(
      `insert into runtime.migration (name, sha256) values ('9999_of_tomorrow', 'x') on conflict do nothing`,
    )
    await isRefused(
      await start(['--worker']),
      /^The database schema "runtime" was brought to 9999_of_tomorrow by a newer version of this program/,
    )
    await pool.query(`delete from runtime.migration where name = '9999_of_tomorrow'`)
    await close()
  })
})
