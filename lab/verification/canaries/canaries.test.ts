import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Canaries } from './canaries.ts'

const SECRET = 'kx7+/="<&9vQ2mZ é 4711 and more of it'

/** How a leak may look, by name. */
const LEAKS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => `the value is ${secret}.`,
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 after one byte': (secret) => Buffer.from(`a${secret}`).toString('base64'),
  'base64 after two bytes': (secret) => Buffer.from(`ab${secret}`).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  hexadecimal: (secret) => Buffer.from(secret).toString('hex'),
  'upper-case hexadecimal': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'in a URL': (secret) => `https://example.org/?q=${encodeURIComponent(secret)}`,
  'every byte escaped': (secret) =>
    [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'in a form': (secret) => new URLSearchParams({ password: secret }).toString(),
  'in JSON': (secret) => JSON.stringify({ secret }),
  'in JSON in JSON': (secret) => JSON.stringify({ body: JSON.stringify({ secret }) }),
  'in HTML': (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'cut off': (secret) => `${secret.slice(0, 15)}…`,
}

describe('the search for canaries', () => {
  it('finds every planted leak, and nothing where there is none (H02)', () => {
    const canaries = new Canaries()
    canaries.add('value', SECRET)
    const around = 'x'.repeat(1_000)
    for (const [name, write] of Object.entries(LEAKS)) {
      const found = canaries.findIn(Buffer.from(around + write(SECRET) + around))
      assert.deepEqual([...found.keys()], ['value'], name)
      const other = canaries.findIn(Buffer.from(around + write(SECRET.split('').reverse().join('')) + around))
      assert.deepEqual([...other.keys()], [], `${name}, of another value`)
    }
  })

  it('tells the kinds apart', () => {
    const canaries = new Canaries()
    canaries.add('value', SECRET)
    canaries.add('webhook secret', 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6')
    const found = canaries.findIn(Buffer.from(`a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6 ${SECRET}`))
    assert.deepEqual(new Set(found.keys()), new Set(['value', 'webhook secret']))
  })
})
