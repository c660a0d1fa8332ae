import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openDatabase } from '#database/pool.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { BARE_ENVIRONMENT } from '#http-kit/testing-programs.ts'

// Runs the command as an operator does.

const folder = mkdtempSync(join(tmpdir(), 'migrate-'))
let server: TestDatabase
before(async () => {
  server = await testDatabase({ migrations: [] })
})
after(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

function run(program: string, args: string[] = [], env: Record<string, string> = {}) {
  const whole = {
    ...BARE_ENVIRONMENT,
    DATABASE_URL: toUrl(server.connection),
    DATA_DIR: folder,
    ...env,
  }
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const file = join(import.meta.dirname, '..', '..', program)
    execFile(process.execPath, [file, ...args], { env: whole, timeout: 60_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

const migrate = (...args: string[]) => run('operating/migrate/main.ts', args)

describe('npm run migrate', () => {
  it('lists what is pending, runs it once, and then has nothing to do', async () => {
    const pending = await migrate('--check')
    assert.equal(pending.code, 1, pending.err)
    assert.match(
      pending.out,
      /^runtime: \d+ migrations? pending: 0001_initial( \d{4}_\w+)*\nbff: \d+ migrations? pending: 0001_initial/,
    )

    const started = await run('runtime/main.ts', [], {
      DATABASE_MIGRATE: 'off',
      RUNTIME_PORT: '0',
      RUNTIME_API_CREDENTIAL: 'the-credential',
      ACTOR_ASSERTION_JWKS: 'http://127.0.0.1:1/',
    })
    assert.equal(started.code, 1)
    assert.match(started.err, /^The database schema "runtime" lacks \d+ migrations? .* run "npm run migrate"/)

    const ran = await migrate()
    assert.equal(ran.code, 0, ran.err)
    assert.match(ran.out, /^runtime: \d+ migrations? ran: 0001_initial/)
    const again = await migrate('--check')
    assert.deepEqual(
      [again.code, again.out],
      [0, 'runtime: the schema is current\nbff: the schema is current\n'],
    )
  })

  it('refuses a newer schema, and unknown arguments', async () => {
    const { pool, close } = openDatabase(server.connection)
    await pool.query(`insert into bff.migration (name, sha256) values ('9999_newer', '')`)
    const newer = await migrate()
    assert.equal(newer.code, 1)
    assert.match(newer.err, /^The database schema "bff" was brought to 9999_newer by a newer version/)
    await close()
    assert.match((await migrate('--now')).err, /Usage: npm run migrate/)
  })
})
