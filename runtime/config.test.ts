import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '#http-kit/clock.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { loadActorKeys, readRuntimeSettings } from './config.ts'
import { loadSigner } from './keys/signer.ts'

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runtime-'))
})
after(() => rm(directory, { recursive: true }))

describe('the runtime settings', () => {
  it('have defaults for everything except secrets', () => {
    const settings = readRuntimeSettings({ RUNTIME_PORT: '9000' })
    assert.equal(settings.platformApiBase, 'http://127.0.0.1:9000')
    assert.deepEqual(settings.egressAllow, [{ kind: 'loopback' }])
    assert.equal(settings.database.url, null)
    assert.deepEqual(settings.credentials, [])
    assert.equal(settings.leaseMs, 60_000)
    assert.equal(readRuntimeSettings({ LEASE_SECONDS: '2' }).leaseMs, 2_000)
  })

  it('are reported in one line when they are wrong, secrets without their value', async () => {
    const wrong = [
      ['RUNTIME_PORT', '99999'],
      ['PLATFORM_API_BASE', 'ftp://x'],
      ['PLATFORM_API_BASE', 'http://user@x/'],
      ['EGRESS_ALLOW', 'https://x'],
      ['EGRESS_DENY', 'host-without-port'],
      ['LEASE_SECONDS', '0'],
      ['LEASE_SECONDS', '1.5'],
      ['RETENTION_OPERATIONS_DAYS', 'forever'],
      ['RETENTION_OPERATIONS_DAYS', '-1'],
      ['RETENTION_ATTEMPTS_DAYS', '401'],
      ['RUNTIME_API_CREDENTIAL', 'short'],
      ['DATABASE_URL', 'mysql://user@host/x'],
      ['SEALING_KEY_FILE', 'a.key,b.key,c.key'],
      ['DATABASE_MIGRATE', 'no'],
      ['LOG_LEVEL', 'verbose'],
    ] as const
    for (const [name, value] of wrong) {
      assert.throws(
        () => readRuntimeSettings({ [name]: value }),
        (error) => {
          assert(error instanceof SettingsError)
          assert(error.message.startsWith(name) && !error.message.includes('\n'), error.message)
          // not the words of the library
          assert.doesNotMatch(error.message, /invalid|expected one of/i)
          if (name === 'RUNTIME_API_CREDENTIAL') assert(!error.message.includes(`"${value}"`))
          return true
        },
      )
    }
    const DATABASE_URL = 'postgresql://user@db.example.org/x'
    assert.throws(
      () => readRuntimeSettings({ DATABASE_URL, DATABASE_DIRECT_URL: `${DATABASE_URL}?sslmode=prefer` }),
      /^SettingsError: DATABASE_DIRECT_URL has an unknown sslmode/,
    )
    assert.throws(
      () => readRuntimeSettings({ DATABASE_URL, DATABASE_READ_URL: 'standby.example.org' }),
      /^SettingsError: DATABASE_READ_URL is not a PostgreSQL URL/,
    )
    const file = join(directory, 'url')
    await writeFile(file, 'mysql://user@host/x')
    assert.throws(
      () => readRuntimeSettings({ DATABASE_URL_FILE: file }),
      /^SettingsError: DATABASE_URL_FILE is not a PostgreSQL URL/,
    )
    assert.equal(
      readRuntimeSettings({ PLATFORM_API_BASE: 'https://x/base/' }).platformApiBase,
      'https://x/base',
    )
  })

  it('name no second database beside the embedded one', () => {
    for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'])
      assert.throws(
        () => readRuntimeSettings({ [name]: 'postgresql://user@db.example.org/x' }),
        new RegExp(`DATABASE_URL is not set: ${name} needs it`),
      )
  })

  it('keep attempts no longer than operations', () => {
    const periods = (operations: string, attempts = '') =>
      readRuntimeSettings({ RETENTION_OPERATIONS_DAYS: operations, RETENTION_ATTEMPTS_DAYS: attempts })
        .retention
    assert.deepEqual(periods(''), { operationsDays: 400, attemptsDays: 90, archive: null })
    assert.deepEqual(periods('30'), { operationsDays: 30, attemptsDays: 30, archive: null })
    assert.deepEqual(periods('0', '1000'), { operationsDays: 0, attemptsDays: 1_000, archive: null })
    assert.deepEqual(periods('30', '0'), { operationsDays: 30, attemptsDays: 0, archive: null })
    assert.throws(() => periods('30', '31'), /RETENTION_ATTEMPTS_DAYS is wrong: .* 30 days/)
    assert.throws(
      () => readRuntimeSettings({ RETENTION_OPERATION_DAYS: '3' }),
      /the nearest is RETENTION_OPERATIONS_DAYS/,
    )
  })

  it('must name readable keys', async () => {
    const file = join(directory, 'keys.json')
    await writeFile(file, '{"keys":[]}')
    assert.equal(typeof (await loadActorKeys(file)), 'function')
    await assert.rejects(
      loadActorKeys('https://jon:canary@console.example.org/keys'),
      /^(?!.*canary).*a URL without user and password is needed/,
    )
    assert.equal(typeof (await loadActorKeys('http://127.0.0.1:1/keys')), 'function')
    await writeFile(file, '{"nothing":1}')
    await assert.rejects(loadActorKeys(file), SettingsError)
    await assert.rejects(loadActorKeys(join(directory, 'missing')), {
      name: 'SettingsError',
      message: /it is not a URL, and the file .*missing does not exist$/,
    })
    for (const [text, message] of [
      [
        '{"keys":[],\n "keys":[]}',
        /keys\.json .*: The key is duplicated in one object \(line 2, column 2\)$/,
      ],
      ['-----BEGIN PRIVATE KEY-----', /keys\.json has a private key; name the file that .*public/],
      [
        '{"keys":[{"kty":"EC","d":"canary"}]}',
        /^ACTOR_ASSERTION_JWKS is wrong: \S+ has a private key; name [^{]+$/,
      ],
      ['{"keys":[],}', /: There is a comma before a closing bracket \(line 1, column \d+\)$/],
      [
        '{"keys":[{"exp":9007199254740993}]}',
        /: A number cannot be represented exactly .*\(line 1, column 17\)$/,
      ],
    ] as const) {
      await writeFile(file, text)
      await assert.rejects(loadActorKeys(file), { name: 'SettingsError', message })
    }
  })
})

describe('the signing key', () => {
  const load = (at: string) =>
    loadSigner({ directory: at, issuer: 'http://platform.test', clock: systemClock })

  it('is created once by concurrent starts, readable by its owner only', async () => {
    const at = join(directory, 'data')
    const signers = await Promise.all(Array.from({ length: 8 }, () => load(at)))
    const kids = new Set(signers.map(({ publicKey }) => publicKey.kid))
    assert.equal(kids.size, 1)
    assert.deepEqual((await load(at)).publicKey, signers[0]?.publicKey)
    assert.equal((await stat(join(at, 'runtime-signing-key.json'))).mode & 0o777, 0o600)
  })

  it('is rejected when the file holds something else, without revealing the content', async () => {
    await writeFile(join(directory, 'runtime-signing-key.json'), '{"kty":"oct","k":"c2VjcmV0LW1hdGVyaWFs"}')
    await assert.rejects(
      load(directory),
      (error) => error instanceof SettingsError && !error.message.includes('c2Vj'),
    )
  })
})
