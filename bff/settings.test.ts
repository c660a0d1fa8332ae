import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConsoleSettings } from './settings.ts'

const read = (base: string) =>
  readConsoleSettings({ RUNTIME_API_BASE: base, RUNTIME_API_CREDENTIAL: 'a-credential' }).runtime?.baseUrl

test('the address of a runtime may end with slashes', () => {
  assert.equal(read('https://platform.example.org//'), 'https://platform.example.org/bundle-runtime/api')
})

test('the address of a runtime has no user, query or fragment, which no request could be sent with', () => {
  for (const base of [
    'https://user:password@platform.example.org',
    'https://platform.example.org?x=1',
    'https://platform.example.org#x',
  ])
    assert.throws(() => read(base), /RUNTIME_API_BASE.*without user, query and fragment/)
})
