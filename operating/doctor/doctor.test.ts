import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { ExternalProvider } from '#bff/oidc/testing-provider.ts'
import { freePort } from '#database/free-port.ts'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { fromUrl, isReadableByOthers, toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { systemClock } from '#http-kit/clock.ts'
import { bffMigrations } from '#bff/store/tables.ts'
import { Keyring } from '#runtime/keys/keyring.ts'
import { openVault } from '#runtime/keys/open-vault.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { collectSupportBundle } from '../support/collect.ts'
import { judgeClock, judgeSpace } from './check-machine.ts'
import { checkDatabase } from './check-database.ts'
import { examine } from './examine.ts'
import { exitCodeOf, linesOf } from './finding.ts'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const sealingKey = join(folder, 'sealing.key')
const provider = createServer((request, response) => {
  if (request.url?.endsWith('/.well-known/openid-configuration') === true)
    response.end(JSON.stringify({ issuer: `${providerUrl()}/realm` }))
  else if (request.url === '/keys') response.end('{"keys":[]}')
  else response.writeHead(404).end()
})
const providerUrl = (): string => `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
let server: TestDatabase
let database: Database<RuntimeTables>
let env: Record<string, string>

before(async () => {
  server = await testDatabase({ migrations: [RUNTIME_MIGRATIONS, bffMigrations] })
  database = openDatabase<RuntimeTables>(server.connection)
  writeFileSync(sealingKey, randomBytes(32).toString('base64'), { mode: 0o600 })
  await openVault(new Keyring(systemClock), database.db, { dataDir: folder, files: [sealingKey] })
  await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', () => resolve()))
  mkdirSync(join(folder, 'data'))
  env = {
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: toUrl(server.connection),
    SEALING_KEY_FILE: sealingKey,
  }
})
after(async () => {
  await database.close()
  await server.close()
  await new Promise((resolve) => provider.close(resolve))
  rmSync(folder, { recursive: true })
})

async function findingOf(check: string, changes: Record<string, string> = {}) {
  const found = (await examine({ ...env, ...changes })).find((finding) => finding.check === check)
  return `${found?.status} ${found?.message}`
}

describe('the doctor', () => {
  it('fetches the key set of the consoles', async () => {
    const settings = (url: string) => ({ RUNTIME_API_CREDENTIAL: 'a-credential', ACTOR_ASSERTION_JWKS: url })
    const closed = `http://127.0.0.1:${await freePort()}/`
    assert.match(await findingOf('console', settings(closed)), /^warn .* nothing listens there/)
    assert.match(await findingOf('console', settings(providerUrl())), /^warn .* it returns no key set/)
    assert.match(await findingOf('console', settings(`${providerUrl()}/keys`)), /^ok the key set/)
  })

  it('finds nothing wrong in a good deployment, and creates nothing', async () => {
    const findings = await examine(env)
    assert.equal(exitCodeOf(findings), 0, linesOf(findings))
    assert.match(await findingOf('database'), /^ok PostgreSQL \d+.* the schemas are current$/)
    assert.match(await findingOf('standby'), /^skip DATABASE_READ_URL is not set/)
    assert.match(
      await findingOf('keys'),
      /^ok the sealing key opens the values of the database: \S+sealing\.key \([0-9a-f]{16}\)$/,
    )
    assert.deepEqual(readdirSync(join(folder, 'data')), [])
  })

  it('names files with secrets that everybody can read', async () => {
    const file = join(folder, 'url.txt')
    writeFileSync(file, toUrl(server.connection), { mode: 0o644 })
    const changes = { DATABASE_URL: '', DATABASE_URL_FILE: file }
    assert.match(
      await findingOf('files', changes),
      /^warn everybody .* DATABASE_URL_FILE=.*url\.txt: chmod o= it$/,
    )
    chmodSync(file, 0o640)
    assert.match(await findingOf('files', changes), /^ok /)
  })

  it('says how to encrypt the connection to a database on another machine', async () => {
    const found = await checkDatabase(database.pool, 1, { isUnencrypted: true, migrates: true })
    assert.match(`${found.status} ${found.message}`, /^warn .* is not encrypted: add sslmode=verify-full/)
    for (const [url, isReadable] of [
      ['postgresql://u:p@db.example.org/x', true],
      ['postgresql://u:p@10.0.0.1/x', true],
      ['postgresql://u:p@db.example.org/x?sslmode=require', false],
      ['postgresql://u:p@localhost/x', false],
      ['postgresql://u:p@127.0.0.1/x', false],
      ['postgresql://u@/x?host=/run/postgresql', false],
    ] as const)
      assert.equal(isReadableByOthers(fromUrl(url)), isReadable, url)
  })

  it('says that people on other machines need https', async () => {
    for (const [url, status] of [
      ['http://console.example.org', 'warn'],
      ['http://localhost:8080', 'ok'],
      ['https://console.example.org', 'ok'],
    ] as const) {
      const [settings] = await examine({ ...env, PUBLIC_URL: url })
      assert.equal(settings?.status, status, url)
    }
  })

  it('names a wrong setting, and checks nothing else', async () => {
    const findings = await examine({ ...env, PROT: 'x', OIDC_ISSUERS: 'x' })
    assert.equal(findings.length, 1)
    assert.match(linesOf(findings), /^fail {2}settings {2}OIDC_ISSUERS is not a setting/)
    assert.equal(exitCodeOf(findings), 1)
  })

  it('finds that DATABASE_READ_URL leads to no standby, or to nothing', async () => {
    const primary = await findingOf('standby', { DATABASE_READ_URL: toUrl(server.connection) })
    assert.match(primary, /^warn DATABASE_READ_URL leads to no standby/)
    const away = `postgresql://somebody@127.0.0.1:${await freePort()}/x`
    assert.match(
      await findingOf('standby', { DATABASE_READ_URL: away }),
      /^warn the standby cannot be used: nothing listens/,
    )
  })

  it('finds a database that is away or of a newer version', async () => {
    const away = `postgresql://somebody:very-secret@127.0.0.1:${await freePort()}/x`
    assert.match(
      await findingOf('database', { DATABASE_URL: away }),
      /^fail the database cannot be used: nothing listens/,
    )
    assert.doesNotMatch(linesOf(await examine({ ...env, DATABASE_URL: away })), /very-secret/)
    await sql`insert into runtime.migration (name, sha256) values ('9999_newer', '')`.execute(database.db)
    assert.match(await findingOf('database'), /^fail .*9999_newer by a newer version/)
    assert.match(await findingOf('retention'), /^ok /, 'one check says it, not two')
    await sql`delete from runtime.migration where name = '9999_newer'`.execute(database.db)
  })

  it('finds a sealing key that does not open the values', async () => {
    const other = join(folder, 'other.key')
    writeFileSync(other, randomBytes(32).toString('base64'), { mode: 0o600 })
    assert.match(
      await findingOf('keys', { SEALING_KEY_FILE: other }),
      /^fail .*does not open the sealed values/,
    )
    assert.match(await findingOf('keys', { SEALING_KEY_FILE: '' }), /^fail there is no sealing key/)
  })

  it('finds a plugin that EGRESS_ALLOW does not allow, and one that accepts no connection', async () => {
    const register = (endpoint: string) =>
      sql`insert into runtime.plugin (plugin_id, title, endpoint, enabled) values ('mail', 'Mail', ${endpoint}, true)
        on conflict (plugin_id) do update set endpoint = excluded.endpoint`.execute(database.db)
    await register('http://192.0.2.1:80/call')
    assert.match(await findingOf('egress'), /^fail EGRESS_ALLOW does not allow mail at 192\.0\.2\.1:80/)
    await register(`http://127.0.0.1:${await freePort()}/call`)
    assert.match(await findingOf('egress'), /^warn 1 of 1 plugins accept no connection: mail .*ECONNREFUSED/)
    await register(`${providerUrl()}/call`)
    assert.match(await findingOf('egress'), /^ok all 1 plugins/)
  })

  it('says how long finished work is kept, and finds a run of retention that is overdue', async () => {
    const setDue = (days: number) =>
      sql`update runtime.retention set due_at = clock_timestamp() - make_interval(days => ${days})`.execute(
        database.db,
      )
    await setDue(-1)
    assert.match(
      await findingOf('retention'),
      /^ok operations are kept for 400 days, their attempts for 90 days; no run yet/,
    )
    const nothing = { RETENTION_OPERATIONS_DAYS: '0', RETENTION_ATTEMPTS_DAYS: '0' }
    assert.match(await findingOf('retention', nothing), /^warn nothing is ever removed/)
    await setDue(3)
    assert.match(await findingOf('retention'), /^warn .* overdue for 3 days/)
    await setDue(-1)
  })

  it('finds an OpenID provider that is away or another one', async () => {
    const oidc = { OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'a secret of it' }
    const provide = (OIDC_ISSUER: string) => findingOf('provider', { ...oidc, OIDC_ISSUER })
    assert.match(await provide(`${providerUrl()}/other`), /^fail .*calls itself ".*\/realm"; set OIDC_ISSUER/)
    assert.match(
      await provide(`http://127.0.0.1:${await freePort()}`),
      /^fail .*nothing listens there \(ECONNREFUSED\)/,
    )
    // a wrong port
    assert.match(
      await provide(providerUrl().replace('http:', 'https:')),
      /^fail .*it offers no TLS.*\(ERR_SSL_WRONG_VERSION_NUMBER\)/,
    )
  })

  it('finds a wrong secret, an unusable method, and what a provider does not offer (F04)', async () => {
    const good = new ExternalProvider()
    await good.start()
    const provide = (more: Record<string, string> = {}) =>
      findingOf('provider', {
        OIDC_ISSUER: good.issuer,
        OIDC_CLIENT_ID: 'console',
        OIDC_CLIENT_SECRET: 'a secret of it',
        ...more,
      })
    good.tokenError = { status: 400, body: { error: 'invalid_grant' } }
    assert.match(await provide(), /^ok .* accepts the console$/)
    for (const [status, error] of [
      [401, 'invalid_client'],
      [403, 'unauthorized_client'],
    ] as const) {
      good.tokenError = { status, body: { error } }
      assert.match(
        await provide(),
        /^fail .*refuses the console as its client; check OIDC_CLIENT_ID, the secret/,
      )
    }
    good.tokenError = { status: 400, body: { error: 'invalid_grant' } }
    good.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    assert.match(
      await provide(),
      /^fail .*does not list client_secret_basic; set OIDC_CLIENT_AUTH to one of client_/,
    )
    assert.match(await provide({ OIDC_CLIENT_AUTH: 'client_secret_post' }), /^ok /)
    good.metadata = { claims_supported: ['sub', 'name'], end_session_endpoint: undefined }
    const warning = await provide({ OIDC_ROLES_CLAIM: 'realm_access.roles' })
    assert.match(warning, /^warn .*the claim realm_access; .*the claim auth_time; .*no end_session_endpoint/)
    good.metadata = { claims_supported: ['realm_access', 'auth_time'] }
    assert.match(await provide({ OIDC_ROLES_CLAIM: 'realm_access.roles' }), /^ok /)
    const users = JSON.stringify([{ username: 'ada', password: 'not used here', roles: [] }])
    assert.match(
      await provide({ OIDC_ROLES_CLAIM: 'realm_access.roles', CONSOLE_USERS: users }),
      /^warn .*the users of CONSOLE_USERS cannot sign in beside OIDC_ISSUER/,
    )
    await good.stop()
  })

  it('judges clocks and space', () => {
    assert.equal(judgeClock(300).status, 'ok')
    assert.match(judgeClock(2_000).message, /2\.0 s behind/)
    assert.equal(judgeClock(-2_000).status, 'warn')
    assert.equal(judgeClock(-6_000).status, 'fail')
    assert.deepEqual(
      [10_000, 1_000, 100].map((free) => judgeSpace(free, true).status),
      ['ok', 'warn', 'fail'],
    )
    assert.equal(judgeSpace(100, false).status, 'ok')
  })
})

describe('the support bundle', () => {
  it('describes the deployment without a secret', async () => {
    const secrets = {
      RUNTIME_API_CREDENTIAL: 'credential-to-hide,another-credential-to-hide',
      RUNTIME_API_BASE: `http://127.0.0.1:${await freePort()}`,
      OIDC_ISSUER: `${providerUrl()}/realm`,
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: 'client-secret-to-hide',
      CONSOLE_USERS: '[{"username":"ada","password":"password-to-hide","roles":["admin"]}]',
      ACTOR_ASSERTION_JWKS: join(folder, 'keys.json'),
    }
    writeFileSync(join(folder, 'keys.json'), '{"keys":[]}')
    const text = await collectSupportBundle({ ...env, ...secrets })
    assert.doesNotMatch(text, /to-hide/)
    const bundle = JSON.parse(text) as Record<string, Record<string, unknown>>
    assert.equal(bundle['settings']?.['OIDC_CLIENT_SECRET'], 'set (hidden)')
    assert.equal(bundle['settings']?.['OIDC_CLIENT_ID'], 'console')
    const database = bundle['database'] ?? {}
    for (const fact of Object.values(database)) assert.ok(Array.isArray(fact), JSON.stringify(fact))
  })
})
