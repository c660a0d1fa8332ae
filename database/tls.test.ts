import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { testAuthority, testCertificate, type TestCertificate } from '#http-kit/testing-certificates.ts'
import { openDatabase } from './pool.ts'
import { reachDatabase } from './reach.ts'
import { serverUser } from './server/os-user.ts'
import { fromUrl } from './settings.ts'
import { startTestServer, type TestServer } from './testing.ts'

// A real server with certificates of an authority that is created here. Its certificate names "localhost" only.

const log = { info: () => {}, warn: () => {}, error: () => {} }

let folder: string
let server: TestServer

const at = (name: string) => join(folder, name)

function write(name: string, { key, cert }: TestCertificate): void {
  writeFileSync(at(`${name}.key`), key)
  writeFileSync(at(`${name}.crt`), cert)
}

const rules = `
hostnossl all postgres 127.0.0.1/32 scram-sha-256
hostssl all certified 127.0.0.1/32 cert
hostssl all postgres 127.0.0.1/32 scram-sha-256
`

function urlWith(query: string, changes: { host?: string; user?: string } = {}): string {
  const { host = 'localhost', user } = changes
  const url = new URL(server.url)
  url.hostname = host
  if (user !== undefined) [url.username, url.password] = [user, '']
  return `${url.href}?${query}`
}

async function secured(url: string): Promise<string> {
  const { pool, close } = openDatabase(fromUrl(url), { max: 1 })
  try {
    const { rows } = await pool.query<{ summary: string }>(
      `select ssl::text || ' ' || current_user as summary from pg_stat_ssl where pid = pg_backend_pid()`,
    )
    return rows[0]?.summary ?? ''
  } finally {
    await close()
  }
}

const refuses = (url: string, message: RegExp) =>
  assert.rejects(reachDatabase(fromUrl(url), { log, waitMs: 0, connectTimeoutMs: 5_000 }), message)

describe('TLS to a real server', () => {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tls-'))
    const authority = await testAuthority('authority')
    const stranger = await testAuthority('stranger')
    write('authority', authority)
    write('stranger', stranger)
    write('server', await testCertificate({ by: authority, names: ['localhost'] }))
    write('client', await testCertificate({ by: authority, names: ['certified'] }))
    write('forged', await testCertificate({ by: stranger, names: ['certified'] }))
    writeFileSync(at('rules.conf'), rules)
    const user = serverUser('')
    for (const name of readdirSync(folder)) {
      if (user) chownSync(at(name), user.uid, user.gid)
      chmodSync(at(name), 0o600)
    }
    chmodSync(folder, 0o711)
    server = await startTestServer({
      transport: 'tcp',
      parameters: {
        ssl: 'on',
        ssl_cert_file: at('server.crt'),
        ssl_key_file: at('server.key'),
        ssl_ca_file: at('authority.crt'),
        hba_file: at('rules.conf'),
      },
    })
    const { pool, close } = openDatabase(fromUrl(server.url))
    await pool.query('create role certified login')
    await close()
  })
  after(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  test('disable is not encrypted, require is encrypted with any server', async () => {
    assert.equal(await secured(urlWith('sslmode=disable')), 'false postgres')
    assert.equal(await secured(urlWith('sslmode=require')), 'true postgres')
    assert.equal(await secured(urlWith('sslmode=require', { host: '127.0.0.1' })), 'true postgres')
  })

  test('verify-ca checks the authority but not the name', async () => {
    const trusted = `sslmode=verify-ca&sslrootcert=${at('authority.crt')}`
    assert.equal(await secured(urlWith(trusted, { host: '127.0.0.1' })), 'true postgres')
    const unknown = /its certificate is not signed by an authority in the file of sslrootcert/
    await refuses(urlWith(`sslmode=verify-ca&sslrootcert=${at('stranger.crt')}`), unknown)
    await refuses(urlWith('sslmode=verify-ca'), unknown)
    // like libpq: a given authority is verified
    await refuses(urlWith(`sslmode=require&sslrootcert=${at('stranger.crt')}`), unknown)
  })

  test('verify-full also checks the name, and so does an authority without a mode', async () => {
    for (const query of [
      `sslmode=verify-full&sslrootcert=${at('authority.crt')}`,
      `sslrootcert=${at('authority.crt')}`,
    ]) {
      assert.equal(await secured(urlWith(query)), 'true postgres')
      await refuses(urlWith(query, { host: '127.0.0.1' }), /its certificate is for another host name/)
    }
  })

  test('a client certificate is presented, and a foreign one is rejected', async () => {
    const full = `sslmode=verify-full&sslrootcert=${at('authority.crt')}`
    const shown = (name: string) => `${full}&sslcert=${at(`${name}.crt`)}&sslkey=${at(`${name}.key`)}`
    assert.equal(await secured(urlWith(shown('client'), { user: 'certified' })), 'true certified')
    await refuses(
      urlWith(full, { user: 'certified' }),
      /it does not accept this user|the TLS handshake failed/,
    )
    await refuses(urlWith(shown('forged'), { user: 'certified' }), /cannot be used: (it|the TLS handshake)/)
  })

  test('a file that cannot be read is named with the reason, but not the URL', () => {
    const message = (file: string): string => {
      try {
        fromUrl(urlWith(`sslmode=verify-full&sslrootcert=${file}`))
      } catch (error) {
        assert.ok(error instanceof Error)
        return error.message
      }
      return 'accepted'
    }
    assert.equal(
      message(at('missing.crt')),
      `DATABASE_URL is wrong: sslrootcert=${at('missing.crt')} does not exist`,
    )
    assert.equal(message(folder), `DATABASE_URL is wrong: sslrootcert=${folder} is a directory; name a file`)
  })
})
