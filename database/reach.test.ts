import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'

import pg from 'pg'

import { freePort } from './free-port.ts'
import { openServer } from './open.ts'
import { retryWhileAway, reachDatabase } from './reach.ts'
import { clientConfig, fromUrl, toUrl } from './settings.ts'
import { startTestServer, type TestServer } from './testing.ts'

const messages: string[] = []
const note = (_: object, message: string) => void messages.push(message)
const log = { info: note, warn: note, error: note }
const quickly = { log, waitMs: 0, connectTimeoutMs: 5_000 }

let server: TestServer
before(async () => {
  server = await startTestServer({ transport: 'tcp' })
})
after(() => server.stop())

describe('an unusable database', () => {
  const refuses = (url: string, message: RegExp) =>
    assert.rejects(reachDatabase(fromUrl(url), quickly), (error: Error) => {
      assert.match(error.message, message)
      assert.ok(!/canary|\n|at .*:\d+:\d+/.test(error.message), error.message)
      return true
    })

  test('is reported in our own words in one line, never with the password', async () => {
    const connection = fromUrl(server.url)
    const nobody = await freePort()
    await refuses(
      `postgresql://jon:canary@127.0.0.1:${nobody}/console`,
      /^The database at 127\.0\.0\.1:\d+ \(database "console"\) cannot be used: nothing listens there\. Check the server and the database URL\.$/,
    )
    await refuses(
      'postgresql://jon:canary@no-such-host.invalid/console',
      /its host name is unknown\. Check the server and the database URL\.$/,
    )
    await refuses(
      'postgresql://jon:canary@/console?host=/nowhere',
      /there is no socket\. Check the server and the database URL\.$/,
    )
    await refuses(
      toUrl({ ...connection, password: 'canary' }),
      /it rejects the user or the password\. Check the server and the database URL\.$/,
    )
    await refuses(
      toUrl({ ...connection, database: 'nothing' }),
      /it has no such database\. Check the server and the database URL\.$/,
    )
    await refuses(
      `${server.url}?sslmode=require`,
      /it offers no TLS, and sslmode requires it\. Check the server and the database URL\.$/,
    )
    const other = createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    await once(other.listen(0, '127.0.0.1'), 'listening')
    await refuses(
      `postgresql://jon:canary@127.0.0.1:${(other.address() as AddressInfo).port}/console?sslmode=require`,
      /another program than PostgreSQL listens there, or the server could not accept the connection\. Check the server and the database URL\.$/,
    )
    other.close()
    await refuses(
      server.url.replace(/:[^:@/]*@/, '@'),
      /it requires a password, and none is set\. Check the server and the database URL\.$/,
    )
  })

  test('is not awaited if waiting cannot help', async () => {
    const wrong = { ...fromUrl(server.url), database: 'nothing' }
    await assert.rejects(reachDatabase(wrong, { ...quickly, waitMs: 3_600_000 }), /no such database/)
  })
})

test('a database that is down is awaited, which is logged once', async () => {
  await server.pause()
  messages.length = 0
  const reached = openServer({ databaseUrl: server.url, dataDir: '/nowhere', log, waitMs: 60_000 })
  while (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await new Promise((resolve) => setTimeout(resolve, 700))
  await server.restart()
  assert.equal((await reached).connection.host, '127.0.0.1')
  assert.match(
    messages[0] ?? '',
    /^waiting for the database at 127\.0\.0\.1:\d+ .*: nothing listens there \(60 s left\)$/,
  )
  assert.match(messages.at(-1) ?? '', /is available now$/)
  const reasons = messages.filter((line) => line.includes('nothing listens there'))
  assert.equal(reasons.length, 1, messages.join('\n'))
})

test('the wait ends with the program', async () => {
  const stop = new AbortController()
  const nobody = { ...fromUrl(server.url), port: await freePort() }
  const waiting = reachDatabase(nobody, { ...quickly, waitMs: 3_600_000, signal: stop.signal })
  stop.abort()
  await assert.rejects(waiting, /nothing listens there/)
})

describe('a database that goes away during the start', () => {
  const broken = (code: string) => Object.assign(new Error(`write ${code} canary`), { code })

  test('is awaited, and the step is repeated from its beginning', async () => {
    messages.length = 0
    let began = 0
    const answer = await retryWhileAway(fromUrl(server.url), { ...quickly, waitMs: 60_000 }, async () => {
      began++
      const client = new pg.Client(clientConfig(fromUrl(server.url)))
      client.on('error', () => {})
      await client.connect()
      if (began === 1) {
        await server.pause()
        setTimeout(() => void server.restart(), 1_000)
      }
      const { rows } = await client.query<{ one: number }>('select 1 as one')
      await client.end()
      return rows[0]?.one
    })
    assert.deepEqual([answer, began], [1, 2])
    assert.match(messages[0] ?? '', /^the database went away during the start: it .* \((59|60) s left\)$/)
  })

  test('ends the start with one line in our own words after the deadline', async () => {
    for (const code of ['EPIPE', 'ECONNRESET', '57P01', '25006']) {
      // as a migration reports it
      const step = () => Promise.reject(new Error('Migration 0001 failed', { cause: broken(code) }))
      await assert.rejects(
        retryWhileAway(fromUrl(server.url), quickly, step),
        /^Error: The database went away during the start: it (closes the connection|is stopping|accepts no writes)\.$/,
      )
    }
    let began = 0
    const always = () => Promise.reject((began++, broken('EPIPE')))
    await assert.rejects(
      retryWhileAway(fromUrl(server.url), { ...quickly, waitMs: 600 }, always),
      /closes the conn/,
    )
    assert.ok(began > 1 && began < 10, String(began))
  })

  test('is not assumed for other errors', async () => {
    const wrong = broken('23505')
    let began = 0
    const step = () => Promise.reject((began++, wrong))
    await assert.rejects(retryWhileAway(fromUrl(server.url), { ...quickly, waitMs: 60_000 }, step), wrong)
    assert.equal(began, 1)
  })
})
