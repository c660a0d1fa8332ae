import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fromUrl, toUrl } from './settings.ts'

test('reads host, port, database, user and password, decoded', () => {
  assert.deepEqual(fromUrl('postgresql://jo%40n:p%40ss%2Fword@db.example:6543/con%20sole'), {
    host: 'db.example',
    port: 6543,
    database: 'con sole',
    user: 'jo@n',
    password: 'p@ss/word',
  })
  assert.equal(fromUrl('postgres://jon@[::1]/console').host, '::1')
  assert.equal(fromUrl('postgresql://jon@localhost').database, 'jon')
  assert.equal(fromUrl('postgresql://jon@localhost').port, 5432)
})

test('reads a comma in user and password, which does not separate hosts', () => {
  const { user, password, host } = fromUrl('postgresql://jo,n:pass,word@db.example/console')
  assert.deepEqual({ user, password, host }, { user: 'jo,n', password: 'pass,word', host: 'db.example' })
})

test('reads the directory of a unix socket, as a parameter and as a host', () => {
  const settings = { host: '/run/a b', port: 5432, database: 'console', user: 'jon' }
  assert.deepEqual(fromUrl('postgresql://jon@/console?host=/run/a%20b'), settings)
  assert.deepEqual(fromUrl('postgresql://jon@%2Frun%2Fa%20b/console'), settings)
})

test('a written URL can be parsed', () => {
  const all = [
    { host: '/tmp/x-1', port: 5433, database: 'console', user: 'postgres' },
    { host: '127.0.0.1', port: 40_000, database: 'a/b', user: 'a:b@c', password: '?&=/@:%' },
    { host: '::1', port: 5432, database: 'console', user: 'jon' },
  ]
  for (const settings of all) assert.deepEqual(fromUrl(toUrl(settings)), settings)
})

test('sslmode has the meaning that libpq gives it', () => {
  const tls = (query: string) => fromUrl(`postgresql://jon@db.example/console${query}`).tls
  assert.equal(tls(''), undefined)
  assert.equal(tls('?sslmode=disable'), undefined)
  assert.equal(tls('?sslmode=require')?.rejectUnauthorized, false)
  assert.equal(tls('?sslmode=verify-full')?.rejectUnauthorized, true)
  assert.equal(tls('?sslmode=verify-full')?.checkServerIdentity, undefined)
  assert.equal(tls('?sslmode=verify-ca')?.rejectUnauthorized, true)
  assert.ok(tls('?sslmode=verify-ca')?.checkServerIdentity)
})

test('rejects what it does not understand, and never repeats the password', () => {
  const refused = [
    ['mysql://jon:canary@host/db', /is not a PostgreSQL URL/],
    ['postgresql://jon:canary@one:5432,two:5432/db', /names several hosts; name one/],
    ['postgresql://jon:can,ary@one:5432,two:5432/db', /names several hosts; name one/],
    ['postgresql://one,two/db', /names several hosts; name one/],
    ['jon:canary', /is not a PostgreSQL URL/],
    ['postgresql://jon:can#canary@host/db', /is not a PostgreSQL URL.* written as %23/],
    ['postgresql://jon:%canary@host/db', /a % that does not start an escape; .* written %25/],
    ['postgresql://jon:canary@host/db?sslmode=require&sslcert=/dev/null', /only one of sslcert and sslkey/],
    ['postgresql://jon:canary@host/db?sslrootcert=/dev/null', /without a certificate: sslrootcert/],
    [
      'postgresql://jon:canary@host/db?sslmode=require&sslcert=/dev/null&sslkey=/dev/null',
      /not a certificate and its key: sslcert and sslkey/,
    ],
    ['postgresql://:canary@host/db', /names no user/],
    ['postgresql://jon:canary@/db', /names no host/],
    ['postgresql://jon:canary@host/db?pool=3', /unknown parameters: pool/],
    ['postgresql://jon:canary@host/db?sslmode=perhaps', /unknown sslmode/],
    ['postgresql://jon:canary@host:99999/db', /not a PostgreSQL URL|unusable port/],
    ['postgresql://jon:canary@/db?host=/x&port=no', /unusable port/],
  ] as const
  for (const [url, message] of refused) {
    assert.throws(
      () => fromUrl(url),
      (error: Error) => message.test(error.message) && !error.message.includes('canary'),
      url,
    )
  }
})
