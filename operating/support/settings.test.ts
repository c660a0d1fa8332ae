import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSettings } from './settings.ts'

test('settings are described without secrets and without a password in a URL', () => {
  const described = describeSettings({
    RUNTIME_API_BASE: 'https://console:to-hide@platform.example.org',
    PLATFORM_API_BASE: 'https://platform.example.org/@team',
    RUNTIME_API_CREDENTIAL: 'credential-to-hide',
    LOG_LEVEL: ' warn ',
  })
  assert.deepEqual(described, {
    RUNTIME_API_BASE: 'https://(hidden)@platform.example.org',
    PLATFORM_API_BASE: 'https://platform.example.org/@team',
    RUNTIME_API_CREDENTIAL: 'set (hidden)',
    LOG_LEVEL: 'warn',
  })
})
