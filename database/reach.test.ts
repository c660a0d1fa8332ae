import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import pg from 'pg'

import { freePort } from './free-port.ts'
import { openServer } from './open.ts'
import { outlast, reachDatabase } from './reach.ts'
import { clientConfig, fromUrl, toUrl } from './settings.ts'
import { startTestServer, type TestServer } from './testing.ts'

const told: string[] = []
const note = (_: object, message: string) => void told.push(message)
const log = { info: note, warn: note, error: note }
const quickly = { log, waitMs: 0, connectTimeoutMs: 5_000 }

let server: TestServer
before(async () => {
  server = await startTestServer({ transport: 'tcp' })
})
after(() => server.stop())

describe('a database that cannot be used', () => {
  const refuses = (url: string, message: RegExp) =>
    assert.rejects(reachDatabase(fromUrl(url), quickly), (error: Error) => {
      assert.match(error.message, message)
      assert.ok(!/canary|\n|at .*:\d+:\d+/.test(error.message), error.message)
      return true
    })

  test('is told in one line of our own, and never with the password', async () => {
    const connection = fromUrl(server.url)
    const nobody = await freePort()
    await refuses(
      `postgresql://jon:canary@127.0.0.1:${nobody}/console`,
      /^The database at 127\.0\.0\.1:\d+ \(database "console"\) cannot be used: nothing listens there\.$/,
    )
    await refuses('postgresql://jon:canary@no-such-host.invalid/console', /its name is not known\.$/)
    await refuses('postgresql://jon:canary@/console?host=/nowhere', /there is no socket\.$/)
    await refuses(toUrl({ ...connection, password: 'canary' }), /it refuses the user or the password\.$/)
    await refuses(toUrl({ ...connection, database: 'nothing' }), /it has no such database\.$/)
    await refuses(`${server.url}?sslmode=require`, /it offers no TLS, and sslmode demands it\.$/)
    await refuses(server.url.replace(/:[^:@/]*@/, '@'), /it asks for a password, and there is none\.$/)
  })

  test('is not waited for where waiting cannot help', async () => {
    const wrong = { ...fromUrl(server.url), database: 'nothing' }
    await assert.rejects(reachDatabase(wrong, { ...quickly, waitMs: 3_600_000 }), /no such database/)
  })
})

test('a database that is away is waited for, which is told once', async () => {
  await server.pause()
  told.length = 0
  const reached = openServer({ databaseUrl: server.url, dataDir: '/nowhere', log, waitMs: 60_000 })
  while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await new Promise((resolve) => setTimeout(resolve, 700))
  await server.restart()
  assert.equal((await reached).connection.host, '127.0.0.1')
  assert.match(
    told[0] ?? '',
    /^waiting for the database at 127\.0\.0\.1:\d+ .*: nothing listens there \(60 s left\)$/,
  )
  assert.match(told.at(-1) ?? '', /is there now$/)
  const reasons = told.filter((line) => line.includes('nothing listens there'))
  assert.equal(reasons.length, 1, told.join('\n'))
})

test('the waiting ends with the program', async () => {
  const stop = new AbortController()
  const nobody = { ...fromUrl(server.url), port: await freePort() }
  const waiting = reachDatabase(nobody, { ...quickly, waitMs: 3_600_000, signal: stop.signal })
  stop.abort()
  await assert.rejects(waiting, /nothing listens there/)
})

describe('a database that goes away amid the start', () => {
  const broken = (code: string) => Object.assign(new Error(`write ${code} canary`), { code })

  test('is waited for, and the step is done again from its beginning', async () => {
    told.length = 0
    let began = 0
    const answer = await outlast(fromUrl(server.url), { ...quickly, waitMs: 60_000 }, async () => {
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
    assert.match(told[0] ?? '', /^the database went away amid the start: it .* \((59|60) s left\)$/)
  })

  test('ends the start with one line of our own when the time is over', async () => {
    for (const code of ['EPIPE', 'ECONNRESET', '57P01', '25006']) {
      // as a migration tells it
      const step = () => Promise.reject(new Error('Migration 0001 failed', { cause: broken(code) }))
      await assert.rejects(
        outlast(fromUrl(server.url), quickly, step),
        /^Error: The database went away amid the start: it (closes the connection|is stopping|takes no writes)\.$/,
      )
    }
    let began = 0
    const always = () => Promise.reject((began++, broken('EPIPE')))
    await assert.rejects(outlast(fromUrl(server.url), { ...quickly, waitMs: 600 }, always), /closes the conn/)
    assert.ok(began > 1 && began < 10, String(began))
  })

  test('is not what every error means', async () => {
    const wrong = broken('23505')
    let began = 0
    const step = () => Promise.reject((began++, wrong))
    await assert.rejects(outlast(fromUrl(server.url), { ...quickly, waitMs: 60_000 }, step), wrong)
    assert.equal(began, 1)
  })
})
