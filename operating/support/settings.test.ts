import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSettings, secretsOf } from './settings.ts'

test('settings are described without secrets and without a password in a URL', () => {
  const described = describeSettings({
    RUNTIME_API_BASE: 'https://console:to-hide@too@platform.example.org',
    PLATFORM_API_BASE: 'https://platform.example.org/@team',
    OIDC_ISSUER: 'https://console:to/hide@console.example.org',
    RUNTIME_API_CREDENTIAL: 'credential-to-hide',
    LOG_LEVEL: ' warn ',
  })
  assert.deepEqual(described, {
    RUNTIME_API_BASE: 'https://(hidden)@platform.example.org',
    PLATFORM_API_BASE: 'https://platform.example.org/@team',
    OIDC_ISSUER: '(invalid)',
    RUNTIME_API_CREDENTIAL: 'set (hidden)',
    LOG_LEVEL: 'warn',
  })
})

test('the passwords of all addresses of the database are secrets', () => {
  const urlOf = (name: string) => `postgres://user:${name}%2Fpassword@db.example.org/console`
  const secrets = secretsOf({
    database: { url: urlOf('url'), directUrl: urlOf('direct'), readUrl: urlOf('read') },
    console: null,
    credentials: [],
  })
  for (const name of ['url', 'direct', 'read'])
    for (const secret of [urlOf(name), `${name}%2Fpassword`, `${name}/password`])
      assert.ok(secrets.includes(secret), secret)
})
