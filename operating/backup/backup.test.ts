import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { bffMigrations } from '#bff/store/tables.ts'
import { openDatabase } from '#database/pool.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { billing, SCOPE } from '#runtime/testing/bundles.ts'
import { testHttp } from '#runtime/testing/http.ts'
import type { TestHttp } from '#runtime/testing/http.ts'
import { until } from '#runtime/testing/stream.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { listTables } from './tables.ts'

// The drill: backs up a database that a runtime works on, loses it, and restores it, with the commands of an operator.

const folder = mkdtempSync(join(tmpdir(), 'backup-'))
const sealingKey = join(folder, 'sealing.key')
const file = (name: string): string => join(folder, name)
let server: TestDatabase
let http: TestHttp
let bundleInstallId: string
before(async () => {
  writeFileSync(sealingKey, randomBytes(32).toString('base64'), { mode: 0o600 })
  server = await testDatabase({ migrations: [RUNTIME_MIGRATIONS, bffMigrations] })
  http = await testHttp({
    connection: server.connection,
    sealingKeyFiles: [sealingKey],
    worker: { pollMs: 50 },
  })
  await http.call('/bundles/dev/billing/versions/1.0.0', { method: 'PUT', body: billing as never })
  const installed = await http.call('/installations', {
    method: 'POST',
    body: { scope: { ...SCOPE }, bundle: { ...billing.bundle }, targetVersion: '1.0.0' },
  })
  const { installation } = installed.data['operation'] as { installation: { bundleInstallId: string } }
  ;({ bundleInstallId } = installation)
  await until(async () => (await operations()).every((state) => state === 'SUCCEEDED'), 20_000)
})
after(async () => {
  await http.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

const operations = async (): Promise<unknown[]> => {
  const { data } = await http.call('/operations')
  return (data['items'] as { state: string }[]).map(({ state }) => state)
}

function run(command: string, args: string[], env: Record<string, string>) {
  const whole = { PATH: process.env['PATH'], ...env }
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const program = join(import.meta.dirname, '..', command, 'main.ts')
    execFile(process.execPath, [program, ...args], { env: whole, timeout: 120_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

const source = () => ({
  DATABASE_URL: toUrl(server.connection),
  DATA_DIR: file('data'),
  SEALING_KEY_FILE: sealingKey,
})

/** All rows of all tables as text, except what a restore changes on purpose. */
async function contentOf(connection: TestDatabase['connection']): Promise<Record<string, string[]>> {
  const { pool, close } = openDatabase(connection, { max: 1 })
  const content: Record<string, string[]> = {}
  for (const { table } of await listTables(pool)) {
    if (['runtime.event', 'runtime.server_identity', 'runtime.scope', 'runtime.installation'].includes(table))
      continue
    const { rows } = await pool.query<{ text: string }>(
      `select t::text as text from ${table} as t order by 1`,
    )
    content[table] = rows
      .map(({ text }) => text)
      .filter((text) => !text.includes('restored to an earlier state'))
  }
  await close()
  return content
}

describe('npm run backup and npm run restore', () => {
  it('restore every row into an empty external database, with its keys', async () => {
    const made = await run('backup', ['--out', file('one.gz'), '--keys', file('one.keys')], source())
    assert.equal(made.code, 0, made.err)
    assert.match(made.out, /contains \d+ tables with \d+ rows\.\n.*contains sealing\.key\./)
    for (const name of ['one.gz', 'one.keys']) assert.equal(statSync(file(name)).mode & 0o777, 0o600)

    const target = await testDatabase({ migrations: [] })
    const env = { DATABASE_URL: toUrl(target.connection), DATA_DIR: file('target') }
    const restored = await run('restore', ['--from', file('one.gz'), '--keys', file('one.keys')], env)
    assert.equal(restored.code, 0, restored.err)
    assert.match(
      restored.out,
      /rows of .* are restored\.\nThe sealing key opens .*\nThe audit log is valid\.\nThe numbers of 1 installations and 1 scopes are raised.*\nNo operation was in progress\.\n$/,
    )
    assert.equal(readFileSync(file('target/sealing.key'), 'utf8'), readFileSync(sealingKey, 'utf8'))
    assert.deepEqual(await contentOf(target.connection), await contentOf(server.connection))

    const again = await run('restore', ['--from', file('one.gz'), '--keys', file('one.keys')], env)
    assert.equal(again.code, 1)
    assert.match(again.err, /^The database already has the schema "bff"\. Nothing is overwritten/)

    // the restored database works: triggers, foreign keys and sequences are back
    const next = await testHttp({
      connection: target.connection,
      sealingKeyFiles: [sealingKey],
      worker: { pollMs: 50 },
    })
    const detached = await next.call(`/installations/${bundleInstallId}/detach`, {
      method: 'POST',
      body: { reason: 'the drill' },
    })
    assert.equal(detached.errorCode, '0')
    assert.ok((detached.data['operation'] as { executionSequence: number }).executionSequence > 100_000)
    await next.close()
    await target.close()
  })

  it('restore an embedded database', async () => {
    const made = await run('backup', ['--out', file('two.gz'), '--without-keys'], source())
    assert.equal(made.code, 0, made.err)
    const env = { DATA_DIR: file('embedded') }
    const keyless = await run('restore', ['--from', file('two.gz')], env)
    assert.match(keyless.err, /^The backup needs the sealing key [0-9a-f]{16}: name its file/)
    assert.ok(!existsSync(file('embedded/postgresql')), 'nothing is created before the keys are there')
    const restored = await run('restore', ['--from', file('two.gz')], {
      ...env,
      SEALING_KEY_FILE: sealingKey,
    })
    assert.equal(restored.code, 0, restored.err)
    const again = await run('restore', ['--from', file('two.gz')], { ...env, SEALING_KEY_FILE: sealingKey })
    assert.match(again.err, /already has a database\. Nothing is overwritten/)
  })

  it('refuse a file that is damaged, incomplete, of another version or no backup, and leave nothing behind', async () => {
    const whole = readFileSync(file('one.gz'))
    const text = gunzipSync(whole).toString('utf8')
    const cases: Record<string, [Buffer, RegExp]> = {
      cut: [whole.subarray(0, whole.length - 200), /incomplete/],
      short: [gzipSync(text.slice(0, text.trimEnd().lastIndexOf('\n') + 1)), /incomplete/],
      changed: [gzipSync(text.replace('billing', 'biLLing')), /damaged/],
      foreign: [Buffer.from('hello'), /is not a backup/],
      newer: [
        withChecksum(text.replace('0001_sign_in', '0001_sign_up')),
        /whose migration 0001_sign_up this version does not have/,
      ],
    }
    const target = await testDatabase({ migrations: [] })
    const env = {
      DATABASE_URL: toUrl(target.connection),
      DATA_DIR: file('bad'),
      SEALING_KEY_FILE: sealingKey,
    }
    for (const [name, [bytes, message]] of Object.entries(cases)) {
      writeFileSync(file(`${name}.gz`), bytes)
      const { code, err } = await run('restore', ['--from', file(`${name}.gz`)], env)
      assert.equal(code, 1, name)
      assert.match(err, message, name)
      assert.equal(err.trim().split('\n').length, 1, err)
    }
    const { pool, close } = openDatabase(target.connection, { max: 1 })
    const left = await pool.query(`select nspname from pg_namespace where nspname in ('runtime', 'bff')`)
    assert.deepEqual(left.rows, [])
    await close()
    await target.close()
  })

  it('refuse to overwrite a file, and wrong arguments', async () => {
    const over = await run('backup', ['--out', file('one.gz'), '--without-keys'], source())
    assert.match(over.err, /one\.gz exists; name a new file/)
    for (const args of [
      [],
      ['--out', file('x.gz')],
      ['--out', file('x.gz'), '--keys', file('k'), '--without-keys'],
    ])
      assert.match((await run('backup', args, source())).err, /Usage: npm run backup/)
  })
})

/** A backup of this text whose checksum is right. */
function withChecksum(text: string): Buffer {
  const lines = text.trimEnd().split('\n')
  const trailer = JSON.parse(lines.pop() ?? '') as Record<string, unknown>
  const body = `${lines.join('\n')}\n`
  const sha256 = createHash('sha256').update(body).digest('hex')
  return gzipSync(`${body}${JSON.stringify({ ...trailer, sha256 })}\n`)
}
