import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { bffMigrations } from '#bff/store/tables.ts'
import { migrate } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import { clientConfig, toUrl } from '#database/settings.ts'
import { smallDisk } from '#database/testing-small-disk.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { BARE_ENVIRONMENT } from '#http-kit/testing-programs.ts'
import { billing, SCOPE } from '#runtime/testing/bundles.ts'
import { testHttp } from '#runtime/testing/http.ts'
import type { TestHttp } from '#runtime/testing/http.ts'
import { until } from '#runtime/testing/stream.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { parseSealingKey } from '#runtime/keys/sealing-key.ts'
import { codesOf } from '#runtime/keys/authentication.ts'
import { authenticatedText } from './format.ts'
import type { Trailer } from './format.ts'
import { readBackup } from './read-backup.ts'
import { readRows } from './write-backup.ts'
import { restoreDatabase } from './restore-database.ts'
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
  await until(async () => (await operations()).every((state) => state === 'SUCCEEDED'))
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

const run = (command: string, args: string[], env: Record<string, string>) =>
  runProgram(`operating/${command}/main.ts`, args, env)

function runProgram(path: string, args: string[], env: Record<string, string>) {
  const whole = { ...BARE_ENVIRONMENT, ...env }
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const program = join(import.meta.dirname, '..', '..', path)
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

const into = ({ connection }: TestDatabase, dataDir: string) => ({
  DATABASE_URL: toUrl(connection),
  DATA_DIR: file(dataDir),
  SEALING_KEY_FILE: sealingKey,
})

const incomplete = /^The schema "runtime" of the database is incomplete: a restore is in progress/

/** A runtime refuses the database of a restore that has not completed, and so does the console. */
async function refusesToStart(target: TestDatabase, DATABASE_MIGRATE: 'on' | 'off'): Promise<void> {
  const started = await runProgram('runtime/main.ts', [], {
    ...into(target, 'refused'),
    DATABASE_MIGRATE,
    RUNTIME_PORT: '0',
    RUNTIME_API_CREDENTIAL: 'the-credential',
    ACTOR_ASSERTION_JWKS: 'http://127.0.0.1:1/',
  })
  assert.equal(started.code, 1)
  assert.match(started.err, incomplete)
  const { pool, close } = openDatabase(target.connection, { max: 1 })
  await assert.rejects(migrate(pool, bffMigrations), /The schema "bff" of the database is incomplete/)
  await close()
}

/** All rows of all tables as text, except what a restore changes on purpose. */
async function contentOf(connection: TestDatabase['connection']): Promise<Record<string, string[]>> {
  const { pool, close } = openDatabase(connection, { max: 1 })
  const content: Record<string, string[]> = {}
  for (const { table } of await listTables(pool)) {
    if (
      [
        'runtime.event',
        'runtime.clock',
        // the restore adds an entry
        'runtime.audit_head',
        'runtime.server_identity',
        // the worker of the first one notes in it that it runs
        'runtime.signing_key',
        'runtime.scope',
        'runtime.installation',
      ].includes(table)
    )
      continue
    const { rows } = await pool.query<{ text: string }>(
      `select t::text as text from ${table} as t order by 1`,
    )
    content[table] = rows
      .map(({ text }) => text)
      .filter((text) => !/restored to an earlier state|database\.(?:restore|recover)/.test(text))
  }
  await close()
  return content
}

describe('npm run backup and npm run restore', () => {
  it('do not read the sequences of unlogged tables, which may be damaged after a failover', async () => {
    const { pool, close } = openDatabase(server.connection, { max: 1 })
    await pool.query(`select nextval('runtime.audit_draft_draft_id_seq')`)
    await close()
    const made = await run('backup', ['--out', file('sequences.gz'), '--without-keys'], source())
    assert.equal(made.code, 0, made.err)
    const text = gunzipSync(readFileSync(file('sequences.gz'))).toString()
    assert.match(text, /"sequences":\[\{"name":"runtime/)
    assert.doesNotMatch(text, /audit_draft_draft_id_seq/)
  })

  it('contain the rows of a table that a migration rewrites meanwhile', async () => {
    const target = await testDatabase({ migrations: [RUNTIME_MIGRATIONS, bffMigrations] })
    const { pool, close } = openDatabase(target.connection, { max: 2, idleInTransactionTimeoutMs: 120_000 })
    await pool.query(`
      insert into runtime.scope (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
      values ('prod', 'backup', 1, 'ada', 'Ada')`)
    const migration = await pool.connect()
    await migration.query(
      `begin; alter table runtime.scope add column again bigint generated always as (workspace_id) stored`,
    )
    const env = { ...source(), ...into(target, 'rewritten') }
    const making = run('backup', ['--out', file('rewritten.gz'), '--without-keys'], env)
    await until(async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity where application_name = 'bundle-console-backup' and wait_event_type = 'Lock'`,
      )
      return rows.length === 1
    })
    await migration.query('commit')
    migration.release()
    const made = await making
    assert.equal(made.code, 0, made.err)
    const lines = gunzipSync(readFileSync(file('rewritten.gz')))
      .toString()
      .split('\n')
    assert.ok(lines.includes('{"end":"runtime.scope","rows":1}'))
    await close()
    await target.close()
  })

  it('restore with a role that owns the database and has no other right, and keep the rights of the audit log', async () => {
    const made = await run('backup', ['--out', file('owned.gz'), '--without-keys'], source())
    assert.equal(made.code, 0, made.err)
    const target = await testDatabase({ migrations: [] })
    const admin = openDatabase(target.connection, { max: 1 })
    const role = `restorer_${randomBytes(4).toString('hex')}`
    await admin.pool.query(`create role ${role} login password 'secret'`)
    await admin.pool.query(
      `grant create, connect, temporary on database ${target.connection.database} to ${role}`,
    )
    try {
      const connection = { ...target.connection, user: role, password: 'secret' }
      const env = { ...source(), DATABASE_URL: toUrl(connection), DATA_DIR: file('owned') }
      const restored = await run('restore', ['--from', file('owned.gz')], env)
      assert.equal(restored.code, 0, restored.err)
      const rights = await admin.pool.query(
        `select has_table_privilege('${role}', 'runtime.audit_entry', 'delete') as "delete",
          has_table_privilege('${role}', 'runtime.audit_entry', 'insert') as "insert"`,
      )
      assert.deepEqual(rights.rows, [{ delete: false, insert: true }])
    } finally {
      await admin.pool.query(`drop owned by ${role}; drop role ${role}`)
      await admin.close()
    }
  })

  it('restore every row into an empty external database, with its keys, and no session (A05, H08)', async () => {
    const bff = openDatabase(server.connection, { max: 1 })
    await bff.pool.query(`
      insert into bff.session (id_hash, iss, sub, name, roles) values ('ended', 'iss', 'ada', 'Ada', '[]');
      insert into bff.sign_in (state_hash, browser_hash, return_to) values ('state', 'browser', '/');
      insert into bff.idp_record (id_hash, kind, payload, expires_at) values ('sso', 'Session', '{}', 'infinity');
      with account as (
        insert into bff.service_account (account_id, name, roles, created_by_id, created_by_name)
        values (gen_random_uuid(), 'deployer', '[]', 'ada', 'Ada') returning account_id)
      insert into bff.service_account_token (token_id, account_id, token_hash, created_by_id, created_by_name, expires_at)
      select gen_random_uuid(), account_id, hash, 'ada', 'Ada', ends
      from account, (values ('valid'::bytea, 'infinity'::timestamptz), ('expired', '2020-01-01')) as token (hash, ends)`)
    const made = await run('backup', ['--out', file('one.gz'), '--keys', file('one.keys')], source())
    // nobody can use them after the restore
    await bff.pool.query('delete from bff.session; delete from bff.sign_in; delete from bff.idp_record')
    await bff.close()
    assert.equal(made.code, 0, made.err)
    assert.match(
      made.out,
      /contains \d+ tables with \d+ rows \(version [\d.]+, build [0-9a-f]{12}\)\.\n.*contains sealing\.key\./,
    )
    for (const name of ['one.gz', 'one.keys']) assert.equal(statSync(file(name)).mode & 0o777, 0o600)

    const target = await testDatabase({ migrations: [] })
    const env = { DATABASE_URL: toUrl(target.connection), DATA_DIR: file('target') }
    const restored = await run('restore', ['--from', file('one.gz'), '--keys', file('one.keys')], env)
    assert.equal(restored.code, 0, restored.err)
    assert.match(
      restored.out,
      /rows of .* \(version [\d.]+, build [0-9a-f]{12}\) are restored\.\nThe sealing key opens .*\nThe execution sequences of 1 installations and the snapshot versions of 1 scopes are increased.*\nThe restore is complete\.\nNo operation was in progress\.\nNobody is signed in, but 1 tokens of .*\nThe audit log is valid\.\n$/,
    )
    assert.equal(readFileSync(file('target/sealing.key'), 'utf8'), readFileSync(sealingKey, 'utf8'))
    assert.deepEqual(await contentOf(target.connection), await contentOf(server.connection))

    const again = await run('restore', ['--from', file('one.gz'), '--keys', file('one.keys')], env)
    assert.equal(again.code, 1)
    assert.match(again.err, /^The database already has the schema "bff"\. Nothing is overwritten/)

    const told = openDatabase(target.connection, { max: 1 })
    const { rows } = await told.pool.query(`
      select because, entry.subject::timestamptz = identity.backup_at as "isBackup", backup_version as version,
        length(backup_build) as build
      from runtime.server_identity as identity, runtime.audit_entry as entry where entry.action = 'database.restore'`)
    assert.deepEqual(rows, [{ because: 'BACKUP_RESTORED', isBackup: true, version: '0.1.0', build: 40 }])
    // operations that fail after it name it among what changed
    const events = await told.pool.query("select from runtime.process_event where kind = 'database.recover'")
    assert.equal(events.rowCount, 1)
    await told.close()

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

  it('restore a backup of the last version before 0.1.0, whose migrations one has replaced', async () => {
    const text = withMigrations(
      await beforeFirstRelease(gunzipSync(readFileSync(file('one.gz'))).toString('utf8')),
      {
        runtime: ['0001_initial', '0002_installations_by_place', '0032_recalled_versions'],
        bff: ['0001_initial', '0002_saved_view_request', '0005_looked_at'],
      },
    )
    writeFileSync(file('before.gz'), withChecksum(text))
    const target = await testDatabase({ migrations: [] })
    const { code, out, err } = await run('restore', ['--from', file('before.gz')], into(target, 'before'))
    assert.equal(code, 0, err)
    assert.match(out, /The audit log is valid\.\n$/)
    assert.deepEqual(await contentOf(target.connection), await contentOf(server.connection))
    // it is up to date, as one of this version is
    const { pool, close } = openDatabase(target.connection, { max: 1 })
    assert.deepEqual(await migrate(pool, RUNTIME_MIGRATIONS), [])
    await close()
    await target.close()
  })

  it('restore an embedded database', async () => {
    const made = await run('backup', ['--out', file('two.gz'), '--without-keys'], source())
    assert.equal(made.code, 0, made.err)
    const env = { DATA_DIR: file('embedded') }
    const keyless = await run('restore', ['--from', file('two.gz')], env)
    assert.match(keyless.err, /^The backup needs the sealing key [0-9a-f]{16}: name its file/)
    assert.ok(!existsSync(file('embedded/postgresql')), 'nothing is created before the keys are there')
    // the programs would open nothing with the key that they are told to use
    const otherKey = file('other.key')
    writeFileSync(otherKey, randomBytes(32).toString('base64'), { mode: 0o600 })
    const other = { DATA_DIR: file('other'), SEALING_KEY_FILE: otherKey }
    const wrong = await run('restore', ['--from', file('two.gz'), '--keys', file('one.keys')], other)
    const kept =
      /, and SEALING_KEY_FILE has another one\. The keys of --keys are in (\S+) now: copy them/.exec(
        wrong.err,
      )?.[1]
    assert.equal(readFileSync(kept ?? '', 'utf8'), readFileSync(sealingKey, 'utf8'), wrong.err)
    const restored = await run('restore', ['--from', file('two.gz')], {
      ...env,
      SEALING_KEY_FILE: sealingKey,
    })
    assert.equal(restored.code, 0, restored.err)
    const again = await run('restore', ['--from', file('two.gz')], { ...env, SEALING_KEY_FILE: sealingKey })
    assert.match(again.err, /already has a database\. Nothing is overwritten/)
  })

  it('raise the numbers before the audit log is verified, and then say that it is not valid', async () => {
    const text = gunzipSync(readFileSync(file('one.gz'))).toString('utf8')
    const forged = text.replace('"installation.install"', '"installation.forged"')
    assert.notEqual(forged, text)
    writeFileSync(file('forged.gz'), withChecksum(forged))
    const target = await testDatabase({ migrations: [] })
    const { code, out, err } = await run('restore', ['--from', file('forged.gz')], into(target, 'forged'))
    assert.equal(code, 1)
    assert.match(out, /are increased.*\nThe restore is complete\./)
    assert.match(err, /^The programs can start, but the audit log of the backup is not valid: /)
    const { pool, close } = openDatabase(target.connection, { max: 1 })
    const { rows } = await pool.query(
      'select last_execution_sequence > 100000 as raised from runtime.installation',
    )
    assert.deepEqual(rows, [{ raised: true }])
    await close()
    await target.close()
  })

  it('refuse a backup that somebody without the sealing key has changed, or may have (H04, H08)', async () => {
    const text = gunzipSync(readFileSync(file('one.gz'))).toString('utf8')
    const changed = text.replace('billing', 'stolen!')
    assert.notEqual(changed, text)
    const kept = (trailer: Record<string, unknown>) => ({ authentication: trailer['authentication'] })
    const target = await testDatabase({ migrations: [] })
    const env = into(target, 'changed')
    for (const [name, authentication, message] of [
      ['kept', kept, /changed by somebody without the sealing key/],
      ['none', () => ({ authentication: {} }), /has no authentication code/],
      ['absent', () => ({ authentication: undefined }), /has no authentication code/],
      [
        'of another key',
        () => ({ authentication: { '0123456789abcdef': 'x' } }),
        /has no authentication code/,
      ],
    ] as const) {
      writeFileSync(file('changed.gz'), withChecksum(changed, authentication))
      const { code, err } = await run('restore', ['--from', file('changed.gz')], env)
      assert.equal(code, 1, name)
      assert.match(err, message, name)
      assert.equal(err.trim().split('\n').length, 1, err)
    }
    writeFileSync(file('changed.gz'), withChecksum(changed, kept))
    const forced = await run('restore', ['--from', file('changed.gz'), '--unauthenticated'], env)
    assert.match(forced.err, /changed by somebody without the sealing key/)
    // one that was made without the sealing key
    writeFileSync(
      file('unknown.gz'),
      withChecksum(text, () => ({ authentication: {} })),
    )
    const accepted = await run('restore', ['--from', file('unknown.gz'), '--unauthenticated'], env)
    assert.equal(accepted.code, 0, accepted.err)
    await target.close()
  })

  it('restore nothing of a file that has changed since it was authenticated (H04)', async () => {
    const text = gunzipSync(readFileSync(file('one.gz'))).toString('utf8')
    // the second reading of the file
    writeFileSync(file('swapped.gz'), withChecksum(text.replace('billing', 'stolen!')))
    const target = await testDatabase({ migrations: [] })
    await assert.rejects(restoreDatabase(target.connection, file('swapped.gz'), await trailerOf('one.gz')), {
      message: 'The backup was changed while it was restored. Use another one.',
    })
    const { pool, close } = openDatabase(target.connection, { max: 1 })
    assert.equal(
      (await pool.query(`select from pg_namespace where nspname in ('runtime', 'bff')`)).rowCount,
      0,
    )
    await close()
    await target.close()
  })

  it('leave a database on which nothing starts if the restore is killed before its first migration', async () => {
    const target = await testDatabase({ migrations: [] })
    const { pool, close } = openDatabase(target.connection, { max: 1 })
    await pool.query(`select pg_advisory_lock(hashtextextended('bundle-console migrate runtime', 0))`)
    const restore = spawn(
      process.execPath,
      [join(import.meta.dirname, '..', 'restore', 'main.ts'), '--from', file('one.gz')],
      { env: { ...BARE_ENVIRONMENT, ...into(target, 'killed') }, stdio: 'ignore' },
    )
    await until(async () => {
      const { rowCount } = await pool.query(
        `select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      )
      return rowCount === 1
    })
    restore.kill('SIGKILL')
    await once(restore, 'exit')
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await close()
    await refusesToStart(target, 'on')
    await target.close()
  })

  it('leave a database on which nothing starts if the restore ends before the numbers are raised', async () => {
    const target = await testDatabase({ migrations: [] })
    await restoreDatabase(target.connection, file('one.gz'), await trailerOf('one.gz'))
    await refusesToStart(target, 'off')
    const env = into(target, 'refused')
    assert.match((await run('recover', ['--raise-sequences', '1'], env)).err, incomplete)
    assert.match((await run('backup', ['--out', file('z.gz'), '--without-keys'], env)).err, incomplete)
    const again = await run('restore', ['--from', file('one.gz')], env)
    assert.match(again.err, /^The database already has the schema/)
    const { pool, close } = openDatabase(target.connection, { max: 1 })
    // a replica that was connected all the time does not call anybody either
    const { rows } = await pool.query('select runtime.is_same_server() as same from runtime.operation')
    assert.deepEqual(rows, [{ same: false }])
    await close()
    await target.close()
  })

  it('contain every sealing key of the settings, so that a backup during a key change can be restored', async () => {
    const next = file('next.key')
    writeFileSync(next, randomBytes(32).toString('base64'), { mode: 0o600 })
    const rewrap = (to: string, env: Record<string, string>) =>
      runProgram('runtime/commands/rewrap-keys.ts', ['--to', to], env)
    assert.equal((await rewrap(next, source())).code, 0)
    const changing = { ...source(), SEALING_KEY_FILE: `${sealingKey},${next}` }
    const made = await run('backup', ['--out', file('five.gz'), '--keys', file('five.keys')], changing)
    assert.equal(made.code, 0, made.err)
    assert.match(made.out, /contains sealing\.key, sealing-2\.key\./)

    const target = await testDatabase({ migrations: [] })
    const env = { DATABASE_URL: toUrl(target.connection), DATA_DIR: file('changed-key') }
    const restored = await run('restore', ['--from', file('five.gz'), '--keys', file('five.keys')], env)
    assert.equal(restored.code, 0, restored.err)
    // the one that a runtime without settings uses
    assert.equal(readFileSync(file('changed-key/sealing.key'), 'utf8'), readFileSync(next, 'utf8'))
    await target.close()

    const old = await run('backup', ['--out', file('six.gz'), '--keys', file('six.keys')], source())
    assert.equal(old.code, 1)
    assert.match(
      old.err,
      /^The backup needs the sealing key [0-9a-f]{16}, which this environment does not have/,
    )
    assert.equal((await rewrap(sealingKey, { ...source(), SEALING_KEY_FILE: next })).code, 0)
  })

  it('read large rows in small pages, and small rows in large ones', async () => {
    const client = new pg.Client(clientConfig(server.connection))
    await client.connect()
    const pages: { rows: number; length: number }[] = []
    const query = client.query.bind(client)
    const recording = {
      query: async (config: pg.QueryArrayConfig | string) => {
        const result = await query<(string | null)[]>(config as pg.QueryArrayConfig)
        pages.push({ rows: result.rows.length, length: result.rows.flat().join('').length })
        return result
      },
    } as unknown as pg.Client
    await client.query('begin; create temporary table sample (id integer, content text)')
    await client.query(`insert into sample select id, case when id > 2000 then repeat('x', 1000000) end
      from generate_series(1, 2040) as id`)
    const columns = [
      { name: 'id', type: 'integer' },
      { name: 'content', type: 'text' },
    ]
    const ids: number[] = []
    for await (const [id] of readRows(recording, { table: 'sample', columns })) ids.push(Number(id))
    await client.end()
    assert.deepEqual(
      ids,
      Array.from({ length: 2040 }, (_, index) => index + 1),
    )
    assert.ok(Math.max(...pages.map(({ rows }) => rows)) > 200)
    // only the page in which the large rows begin is larger
    assert.equal(pages.filter(({ length }) => length > 8 * 2 ** 20).length, 1)
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
        withChecksum(withMigrations(text, { bff: ['0001_finale'] })),
        /whose migration 0001_finale this version does not have/,
      ],
      early: [
        withChecksum(withMigrations(text, { runtime: ['0001_initial', '0002_installations_by_place'] })),
        /its schema "runtime" ends with 0002_installations_by_place, .* ends with 0032_recalled_versions\. Start the last version before 0\.1\.0 once/,
      ],
      'early console': [
        withChecksum(
          withMigrations(text, {
            runtime: ['0002_installations_by_place', '0032_recalled_versions'],
            bff: ['0002_saved_view_request'],
          }),
        ),
        /its schema "bff" ends with 0002_saved_view_request, /,
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
    const embedded = { DATA_DIR: file('bad-embedded'), SEALING_KEY_FILE: sealingKey }
    assert.match((await run('restore', ['--from', file('newer.gz')], embedded)).err, /does not have/)
    assert.ok(!existsSync(file('bad-embedded/postgresql')), 'the next restore finds an empty place')
    const { pool, close } = openDatabase(target.connection, { max: 1 })
    const left = await pool.query(`select nspname from pg_namespace where nspname in ('runtime', 'bff')`)
    assert.deepEqual(left.rows, [])
    await close()
    await target.close()
  })

  it('say in one line that the folder of a backup is missing, or that the database is not one of this program', async () => {
    const lost = await run('backup', ['--out', file('none/x.gz'), '--without-keys'], source())
    assert.match(
      lost.err,
      /^\S+x\.gz cannot be written: there is no directory \S+none; create it, or name another file\n$/,
    )
    const empty = await testDatabase({ migrations: [RUNTIME_MIGRATIONS] })
    const env = { ...source(), ...into(empty, 'empty') }
    const made = await run('backup', ['--out', file('empty.gz'), '--without-keys'], env)
    await empty.close()
    assert.equal(made.code, 1)
    assert.match(
      made.err,
      /^The database has no schema "bff"\. If it is the right one, run "npm run migrate" first; .*\n$/,
    )
    assert.equal(existsSync(file('empty.gz')), false)
  })

  it('say in one line why a file cannot be written, and leave that of another backup alone', async (t) => {
    writeFileSync(file('busy.gz.partial'), 'of another backup')
    const busy = await run('backup', ['--out', file('busy.gz'), '--without-keys'], source())
    assert.match(busy.err, /^\S+busy\.gz\.partial exists; name a new file\n$/)
    assert.equal(readFileSync(file('busy.gz.partial'), 'utf8'), 'of another backup')
    const lost = await run('support', ['--out', file('none/x.json')], source())
    assert.match(lost.err, /^\S+x\.json cannot be written: there is no such directory; .*\n$/)
    const disk = smallDisk(1)
    if (disk === null) return t.diagnostic('a small disk cannot be mounted here')
    t.after(disk.remove)
    disk.fill()
    const full = await run('backup', ['--out', join(disk.path, 'x.gz'), '--without-keys'], source())
    assert.match(full.err, /^\S+x\.gz\.partial cannot be written: its disk is full; .*\n$/)
    assert.equal(existsSync(join(disk.path, 'x.gz.partial')), false)
  })

  it('wait no longer than DATABASE_WAIT_SECONDS for a database that is away', async () => {
    const away = {
      ...source(),
      DATABASE_URL: 'postgresql://somebody@127.0.0.1:1/x',
      DATABASE_WAIT_SECONDS: '0',
    }
    for (const found of await Promise.all([
      run('backup', ['--out', file('away.gz'), '--without-keys'], away),
      run('restore', ['--from', file('one.gz')], away),
      runProgram('runtime/commands/rotate-keys.ts', [], away),
    ])) {
      assert.equal(found.code, 1)
      assert.match(found.err, /^The database at 127\.0\.0\.1:1 .* nothing listens there\./)
    }
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

describe('npm run recover', () => {
  it('refuses while a runtime is connected, unless somebody says that none runs', async () => {
    const raise = (...more: string[]) => run('recover', ['--raise-sequences', '7', ...more], source())
    const { code, out, err } = await raise()
    assert.deepEqual([code, out], [1, ''])
    assert.match(
      err,
      /^Runtimes are connected .*\d of bundle-runtime-worker\b.* add --despite-connections\.\n$/,
    )
    const forced = await raise('--despite-connections')
    assert.equal(forced.code, 0, forced.err)
    assert.match(forced.out, /^The execution sequences of 1 installations .* increased by 7\./)
  })
})

/** A backup of this text whose checksum is right. */
/** The text of a backup whose header names these migrations. */
function withMigrations(text: string, names: Partial<Record<'runtime' | 'bff', string[]>>): string {
  const [first = '', ...rest] = text.split('\n')
  const header = JSON.parse(first) as { migrations: Record<string, { name: string; sha256: string }[]> }
  for (const [schema, applied] of Object.entries(names))
    header.migrations[schema] = applied.map((name) => ({ name, sha256: 'of another text' }))
  return [JSON.stringify(header), ...rest].join('\n')
}

/**
 * The text of a backup as it was before the first release: only what the first migrations create, and the column that they no
 * longer create.
 */
async function beforeFirstRelease(text: string): Promise<string> {
  const first = await testDatabase({ migrations: [] })
  const { pool, close } = openDatabase(first.connection, { max: 1 })
  for (const source of [RUNTIME_MIGRATIONS, bffMigrations])
    await migrate(pool, source, { until: '0001_initial' })
  const known = new Map(
    (await listTables(pool)).map(({ table, columns }) => [table, new Set(columns.map(({ name }) => name))]),
  )
  await close()
  await first.close()
  let head: { table: string; columns: { name: string }[] } | null = null
  const later: string[] = []
  let removed = 0
  const isKept = (index: number) =>
    known.get(head?.table ?? '')?.has(head?.columns[index]?.name ?? '') === true
  const isOfOperation = () => head?.table === 'runtime.operation'
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const value = JSON.parse(line) as object
      if ('sequences' in value) {
        const { rows, sequences } = value as { rows: number; sequences: { name: string }[] }
        const kept = sequences.filter(({ name }) => !later.some((table) => name.startsWith(`${table}_`)))
        return [JSON.stringify({ ...value, rows: rows - removed, sequences: kept })]
      }
      if ('table' in value) {
        head = value as NonNullable<typeof head>
        if (!known.has(head.table)) later.push(head.table)
      }
      const isLater = head !== null && !known.has(head.table)
      if ('end' in value) head = null
      if (isLater) {
        if (Array.isArray(value)) removed++
        return []
      }
      if (head === null) return [line]
      if (Array.isArray(value)) {
        const kept = (value as unknown[]).filter((_, index) => isKept(index))
        return [JSON.stringify(isOfOperation() ? ['a group', ...kept] : kept)]
      }
      const columns = head.columns.filter((_, index) => isKept(index))
      const gone = { name: 'failure_group', type: 'text' }
      return [JSON.stringify({ ...value, columns: isOfOperation() ? [gone, ...columns] : columns })]
    })
  return `${lines.join('\n')}\n`
}

/** As made with the sealing key of the test. */
function authenticated(trailer: Record<string, unknown>, sha256: string): object {
  const key = parseSealingKey(readFileSync(sealingKey, 'utf8'))
  assert.ok(key !== null)
  const { sequences, rows } = trailer as unknown as Trailer
  return { authentication: codesOf([key], 'backup', authenticatedText({ sequences, rows, sha256 })) }
}

async function trailerOf(name: string): Promise<Trailer> {
  for await (const part of readBackup(file(name))) if (part.kind === 'trailer') return part.trailer
  return assert.fail(`${name} has no trailer`)
}

function withChecksum(text: string, authentication = authenticated): Buffer {
  const lines = text.trimEnd().split('\n')
  const trailer = JSON.parse(lines.pop() ?? '') as Record<string, unknown>
  const body = `${lines.join('\n')}\n`
  const sha256 = createHash('sha256').update(body).digest('hex')
  return gzipSync(`${body}${JSON.stringify({ ...trailer, sha256, ...authentication(trailer, sha256) })}\n`)
}
