import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { systemClock } from '#http-kit/clock.ts'
import { BARE_ENVIRONMENT } from '#http-kit/testing-programs.ts'
import { RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import type { RuntimeTables } from '../model/tables.ts'
import { Keyring } from '../keys/keyring.ts'
import { openVault } from '../keys/open-vault.ts'

// Runs the commands as an operator does, and checks their output and exit code.

let server: TestDatabase
let database: Database<RuntimeTables>
let root: string
let first: string
let second: string
before(async () => {
  server = await testDatabase({ migrations: [RUNTIME_MIGRATIONS] })
  database = openDatabase<RuntimeTables>(server.connection)
  root = await mkdtemp(join(tmpdir(), 'commands-'))
  first = await keyFile('first')
  second = await keyFile('second')
})
after(async () => {
  await database.close()
  await server.close()
  await rm(root, { recursive: true })
})

async function keyFile(name: string): Promise<string> {
  const file = join(root, name)
  await writeFile(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  return file
}

interface Ended {
  code: number
  out: string
  err: string
}

function run(program: string, env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const file = join(import.meta.dirname, '..', program)
  const whole = { ...BARE_ENVIRONMENT, DATABASE_URL: toUrl(server.connection), DATA_DIR: root, ...env }
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { env: whole, timeout: 60_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

async function vaultWith(...files: string[]): Promise<Keyring> {
  const keyring = new Keyring(systemClock)
  await openVault(keyring, database.db, { dataDir: root, files })
  return keyring
}

const startRuntime = async (env: Record<string, string>): Promise<Ended> => {
  const keys = join(root, 'actors.json')
  await writeFile(keys, '{"keys":[]}')
  return run('main.ts', {
    RUNTIME_API_CREDENTIAL: 'the-credential',
    ACTOR_ASSERTION_JWKS: keys,
    RUNTIME_PORT: '0',
    LOG_LEVEL: 'error',
    ...env,
  })
}

describe('the key commands', () => {
  const PLACE = ['somewhere']
  const SECRET = Buffer.from('secret')

  it('report a database that no runtime has used yet', async () => {
    const { code, err } = await run('commands/rotate-keys.ts', { SEALING_KEY_FILE: first })
    assert.equal(code, 1)
    assert.match(err, /^This database has no data keys yet; .*\n$/)
  })

  it('refuse a missing or wrong sealing key in one line', async () => {
    await vaultWith(first)
    const cases: [Record<string, string>, RegExp][] = [
      [{ SEALING_KEY_FILE: second }, /second \([0-9a-f]{16}\) does not open/],
      [{}, /sealing\.key is missing, and the database holds values that only that key opens/],
      [
        { SEALING_KEY_FILE: join(root, 'nowhere') },
        /^SEALING_KEY_FILE is wrong: .*nowhere does not exist; restore it/,
      ],
    ]
    for (const [env, message] of cases) {
      const { code, out, err } = await startRuntime(env)
      assert.equal(code, 1)
      assert.equal(out, '')
      assert.match(err, message)
      assert.equal(err.trim().split('\n').length, 1, err)
    }
  })

  it('rotate the data key, and rewrap the data keys', async () => {
    const before = await vaultWith(first)
    const sealed = before.seal(SECRET, PLACE)
    const rotated = await run('commands/rotate-keys.ts', { SEALING_KEY_FILE: first })
    assert.equal(rotated.code, 0, rotated.err)
    assert.match(
      rotated.out,
      /^Data key \d+ is now .* started without the sealing key [0-9a-f]{16} are not ready/,
    )
    const after = await vaultWith(first)
    assert.notEqual(after.currentKeyId(), before.currentKeyId())
    assert.deepEqual(after.open(sealed, PLACE), SECRET)

    const wrong = await run('commands/rewrap-keys.ts', { SEALING_KEY_FILE: second }, '--to', second)
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /does not open/)
    const rewrapped = await run('commands/rewrap-keys.ts', { SEALING_KEY_FILE: first }, '--to', second)
    assert.equal(rewrapped.code, 0, rewrapped.err)
    assert.match(
      rewrapped.out,
      /^All 2 data keys are now wrapped with the sealing key [0-9a-f]{16} of .*second\. .*npm run doctor/,
    )

    await assert.rejects(vaultWith(first), /does not open/)
    for (const files of [[second], [first, second], [second, first]])
      assert.deepEqual((await vaultWith(...files)).open(sealed, PLACE), SECRET)
    // a replica that is running continues without the new key
    await after.learn(database.db)
    assert.deepEqual(after.open(after.seal(SECRET, PLACE), PLACE), SECRET)
    const again = await run(
      'commands/rewrap-keys.ts',
      { SEALING_KEY_FILE: `${first},${second}` },
      '--to',
      second,
    )
    assert.equal(again.code, 0, again.err)
  })

  it('change nothing on a schema of a newer version', async () => {
    await sql`insert into runtime.migration (name, sha256) values ('9999_newer', '')`.execute(database.db)
    for (const [program, ...args] of [
      ['commands/rotate-keys.ts'],
      ['commands/rewrap-keys.ts', '--to', first],
    ] as const) {
      const { code, err } = await run(program, { SEALING_KEY_FILE: second }, ...args)
      assert.equal(code, 1)
      assert.match(err, /^The database schema "runtime" was brought to 9999_newer by a newer version/)
    }
    await sql`delete from runtime.migration where name = '9999_newer'`.execute(database.db)
  })

  it('print their usage', async () => {
    for (const args of [[], ['--into', second], ['--to', join(root, 'nowhere')]]) {
      const { code, err } = await run('commands/rewrap-keys.ts', { SEALING_KEY_FILE: second }, ...args)
      assert.equal(code, 1)
      assert.match(err, /Usage: npm run keys:rewrap|^--to is wrong/)
    }
    const { code, err } = await run('commands/rotate-keys.ts', { SEALING_KEY_FILE: second }, '--now')
    assert.equal(code, 1)
    assert.match(err, /Usage: npm run keys:rotate/)
  })
})
