import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as z from 'zod'
import {
  credentials,
  csv,
  optionalSecret,
  originUrl,
  port,
  readSettings,
  SettingsError,
  whyUnreadable,
} from './settings.ts'
import { testAuthority } from './testing-certificates.ts'

const schema = z.object({
  PORT: port(8080),
  PUBLIC_URL: originUrl.optional(),
  NAMES: csv.default([]),
  CLIENT_SECRET: optionalSecret,
  OIDC_CLIENT_SECRET: optionalSecret,
  RUNTIME_API_CREDENTIAL: credentials,
})
const wrong = (env: Record<string, string>): string => {
  try {
    readSettings(schema, env)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.message
  }
  return 'accepted'
}

describe('readSettings', () => {
  it('refuses a file of authorities that Node would ignore', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'authorities-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'ca.pem')
    assert.match(wrong({ NODE_EXTRA_CA_CERTS: file }), /^NODE_EXTRA_CA_CERTS is wrong: .* does not exist$/)
    assert.match(wrong({ NODE_EXTRA_CA_CERTS: folder }), /is a directory; name a file$/)
    writeFileSync(file, 'hush')
    assert.match(wrong({ NODE_EXTRA_CA_CERTS: file }), /ca\.pem has no certificate in PEM form; convert/)
    const { cert } = await testAuthority()
    const outcome = (content: string | Uint8Array): string => {
      writeFileSync(file, content)
      return wrong({ NODE_EXTRA_CA_CERTS: file })
    }
    assert.match(
      outcome(new X509Certificate(cert).raw),
      /no certificate in PEM form; convert one in DER form with "openssl x509 -inform der"$/,
    )
    const broken = cert.replace(/\n.{8}/, '\n')
    const trusted = cert.replaceAll(' CERTIFICATE-', ' TRUSTED CERTIFICATE-')
    for (const [second, content] of [
      [broken, `${cert}\n${broken}`],
      [trusted, `${cert}\n${trusted}\n${cert}`],
    ] as const) {
      assert.match(outcome(second), /a certificate that Node would ignore, number 1; convert it/)
      assert.match(outcome(content), /a certificate that Node would ignore, number 2; convert it/)
    }
    // as files without an end of line are joined
    assert.match(outcome(`${cert}${cert}`), /number 1; .* begin each on a new line$/)
    assert.equal(outcome(cert), 'accepted')
    assert.equal(outcome(`\uFEFF# Test\n${cert}\n# again\n${cert.replaceAll('\n', '\r\n')}`), 'accepted')
  })

  it('reads variables and applies defaults; an empty variable counts as absent', () => {
    const env = { PORT: ' ', PUBLIC_URL: 'https://console.example.org/', NAMES: 'a, b,,', OTHER: 'x' }
    assert.deepEqual(readSettings(schema, env), {
      PORT: 8080,
      PUBLIC_URL: 'https://console.example.org',
      NAMES: ['a', 'b'],
      CLIENT_SECRET: null,
      OIDC_CLIENT_SECRET: null,
      RUNTIME_API_CREDENTIAL: [],
    })
  })

  it('reports the variable, what is allowed and its value in one line', () => {
    assert.equal(wrong({ PORT: '80o80' }), 'PORT is wrong: a port from 0 to 65535 is needed (it is "80o80")')
    assert.match(wrong({ PORT: '65536' }), /^PORT is wrong/)
    for (const url of [
      'https://a.org/path',
      'ftp://a.org',
      'https://u:p@a.org',
      'a.org',
      'https://a.org?q=1',
    ]) {
      assert.match(wrong({ PUBLIC_URL: url }), /^PUBLIC_URL is wrong: an origin like/, url)
    }
    assert.match(wrong({ PORT: 'a\nb' }), /^[^\n]+$/)
  })

  it('does not repeat a value that may be a secret (H06)', () => {
    assert.equal(
      wrong({ CLIENT_SECRET: 'short' }),
      'CLIENT_SECRET is wrong: a secret needs at least 8 characters',
    )
  })

  it('reads a secret from the file of its variable with _FILE (H06)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'))
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const secret = file('secret', 'from the file\n')
    assert.equal(
      readSettings(schema, { OIDC_CLIENT_SECRET_FILE: secret }).OIDC_CLIENT_SECRET,
      'from the file',
    )
    assert.equal(
      wrong({ OIDC_CLIENT_SECRET_FILE: secret, OIDC_CLIENT_SECRET: 'from the variable' }),
      'OIDC_CLIENT_SECRET_FILE is wrong: OIDC_CLIENT_SECRET is set too; remove one of them',
    )
    assert.match(
      wrong({ OIDC_CLIENT_SECRET_FILE: join(folder, 'none') }),
      /_FILE is wrong: .*does not exist$/,
    )
    assert.match(wrong({ OIDC_CLIENT_SECRET_FILE: folder }), /_FILE is wrong: .*is a directory; name a file$/)
    assert.match(wrong({ OIDC_CLIENT_SECRET_FILE: file('empty', '\n') }), /_FILE is wrong: .*is empty$/)
    assert.equal(
      wrong({ OIDC_CLIENT_SECRET_FILE: file('short', 'hunter2') }),
      'OIDC_CLIENT_SECRET_FILE is wrong: a secret needs at least 8 characters',
    )
    assert.match(wrong({ PORT_FILE: secret }), /^accepted$/)
    rmSync(folder, { recursive: true })
  })

  it('says that a file is there, but for another user', () => {
    assert.match(
      whyUnreadable(Object.assign(new Error('x'), { code: 'EACCES' })),
      /by the user of this program; change/,
    )
  })

  it('refuses a misspelt variable by its name, and names the nearest', () => {
    const nearest = (name: string): string => wrong({ [name]: 'a value' })
    assert.equal(
      nearest('OIDC_ISSUERS'),
      'OIDC_ISSUERS is not a setting; the nearest is OIDC_ISSUER. Correct the name, or remove the variable',
    )
    assert.match(nearest('PUBLIC_URI'), /nearest is PUBLIC_URL/)
    assert.match(nearest('LOGLEVEL'), /nearest is LOG_LEVEL/)
    assert.match(nearest('oidc_issuer'), /^oidc_issuer is not a setting; the nearest is OIDC_ISSUER\./)
    assert.match(nearest('OIDC_CLIENT_SECRET_FILES'), /nearest is OIDC_CLIENT_SECRET_FILE/)
    assert.match(nearest('SEALING_KEY_PATH'), /^SEALING_KEY_PATH is not a setting/)
    assert.match(nearest('DATABASE_PASSWORD'), /^DATABASE_PASSWORD is not a setting\. Correct/)
  })

  it('ignores the variables of others', () => {
    for (const name of [
      'HOME',
      'HOSTNAME',
      'LANG',
      'SESSION_MANAGER',
      'XDG_RUNTIME_DIR',
      'PG_HOST',
      'npm_config_registry',
      // of Kubernetes, for services named "runtime", "console" and "database"
      'RUNTIME_SERVICE_HOST',
      'RUNTIME_SERVICE_PORT_HTTP',
      'CONSOLE_PORT_8080_TCP_ADDR',
      'DATABASE_SERVICE_HOST',
      'DATABASE_PORT',
      'DATABASE_PORT_5432_TCP',
    ])
      assert.equal(wrong({ [name]: 'a value' }), 'accepted', name)
    assert.equal(wrong({ OIDC_ISSUERS: ' ' }), 'accepted')
  })

  it('takes two credentials, of characters that a header can carry', () => {
    const read = (value: string) =>
      readSettings(schema, { RUNTIME_API_CREDENTIAL: value }).RUNTIME_API_CREDENTIAL
    assert.deepEqual(read('new-credential, old-credential'), ['new-credential', 'old-credential'])
    const cases = {
      'one-secret,two-secret,three-secret': /at most two/,
      'one-secret,two': /8/,
      'has a space': /only/,
    }
    for (const [value, message] of Object.entries(cases)) {
      assert.match(wrong({ RUNTIME_API_CREDENTIAL: value }), message)
      assert.ok(!wrong({ RUNTIME_API_CREDENTIAL: value }).includes(value))
    }
  })
})
