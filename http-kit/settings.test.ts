import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { csv, optionalSecret, originUrl, port, readSettings, SettingsError } from './settings.ts'

const schema = z.object({
  PORT: port(8080),
  PUBLIC_URL: originUrl.optional(),
  NAMES: csv.default([]),
  CLIENT_SECRET: optionalSecret,
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
  it('reads variables and applies defaults; an empty variable counts as absent', () => {
    const env = { PORT: ' ', PUBLIC_URL: 'https://console.example.org/', NAMES: 'a, b,,', OTHER: 'x' }
    assert.deepEqual(readSettings(schema, env), {
      PORT: 8080,
      PUBLIC_URL: 'https://console.example.org',
      NAMES: ['a', 'b'],
      CLIENT_SECRET: null,
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

  it('does not repeat a value that may be a secret', () => {
    assert.equal(
      wrong({ CLIENT_SECRET: 'short' }),
      'CLIENT_SECRET is wrong: a secret needs at least 8 characters',
    )
  })
})
