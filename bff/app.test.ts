import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import { testDatabase } from '#database/testing.ts'
import { bffMigrations } from './store/tables.ts'
import { startConsole } from './testing-console.ts'
import { EVERYWHERE } from './testing.ts'
import { until } from '#runtime/testing/stream.ts'
import { TestBrowser } from './testing-browser.ts'

test('GET /api/session counts toward the rate limit of the person', async (t) => {
  const { connection, close } = await testDatabase({ migrations: [bffMigrations] })
  const rate = { perSecond: 0.001, burst: 3 }
  const console = await startConsole({ connection, rates: { reads: rate, writes: rate } })
  t.after(async () => {
    await console.stop()
    await close()
  })
  const ada = new TestBrowser(console.origin)
  await ada.signIn('ada', 'correct horse')
  const statuses: number[] = []
  for (let count = 0; count < 4; count++) statuses.push((await ada.api('/api/session')).status)
  assert.deepEqual(statuses, [200, 200, 200, 429])
})

test('a body weighs what it costs to read, also one that is refused (J01)', async (t) => {
  const { connection, close } = await testDatabase({ migrations: [bffMigrations] })
  const rate = { perSecond: 0.001, burst: 40 }
  const roles = { eve: [EVERYWHERE('viewer')] }
  const console = await startConsole({ connection, roles, rates: { reads: rate, writes: rate } })
  t.after(async () => {
    await console.stop()
    await close()
  })
  const eve = new TestBrowser(console.origin)
  await eve.signIn('eve', 'correct horse')
  const path = '/api/scopes/prod/eu/1/configuration'
  const headers = { 'content-type': 'application/json' }
  const statusOf = async (body: string) => (await eve.api(path, { method: 'PATCH', headers, body })).status
  const large = 'x'.repeat(640 * 1024)
  // 8 and 21
  assert.deepEqual(
    [await statusOf(`{"reason":"${large.slice(0, 250_000)}"}`), await statusOf(`["${large}`)],
    [403, 400],
  )
  assert.deepEqual([await statusOf(`["${large}`), await statusOf('{}')], [429, 403])
})

test('requests of one person that wait leave connections to the runtime for others (J01)', async (t) => {
  const { connection, close } = await testDatabase({ migrations: [bffMigrations] })
  const held: ServerResponse[] = []
  const isOfAda = ({ headers }: IncomingMessage): boolean =>
    decodeJwt(String(headers['x-runtime-actor-assertion']))['name'] === 'ada'
  const answer = (response: ServerResponse) =>
    response.end(JSON.stringify(successEnvelope({ items: [], nextCursor: null })))
  let isHeld = true
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (isHeld && isOfAda(request) && request.url?.includes('limit=7')) held.push(response)
    else answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const runtimeUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle-runtime/api`
  const roles = { ada: [EVERYWHERE('admin')], bob: [EVERYWHERE('admin')] }
  const console = await startConsole({ connection, roles, runtimeUrl })
  t.after(async () => {
    await console.stop()
    await new Promise((resolve) => server.close(resolve))
    await close()
  })
  const [ada, bob] = [new TestBrowser(console.origin), new TestBrowser(console.origin)]
  await ada.signIn('ada', 'correct horse')
  await bob.signIn('bob', 'correct horse')
  const sent = Array.from({ length: 80 }, () => ada.api('/api/operations?limit=7'))
  await until(async () => held.length >= 8)
  assert.equal((await bob.api('/api/operations?limit=7')).status, 200)
  // a write of hers does not wait for her reads
  assert.notEqual((await ada.api('/api/plugins/first/probe', { method: 'POST' })).status, 429)
  assert.equal(held.length, 8)
  isHeld = false
  for (const response of held) answer(response)
  for (const { status } of await Promise.all(sent)) assert.equal(status, 200)
})

test('whatever is refused for the moment says when to come back', async (t) => {
  const { connection, close } = await testDatabase({ migrations: [bffMigrations] })
  let status = 429
  let ofRuntime = {}
  const server = createServer((_, response) => response.writeHead(status, ofRuntime).end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const runtimeUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle-runtime/api`
  const console = await startConsole({ connection, runtimeUrl })
  t.after(async () => {
    await console.stop()
    await new Promise((resolve) => server.close(resolve))
    await close()
  })
  const ada = new TestBrowser(console.origin)
  await ada.signIn('ada', 'correct horse')
  const read = async (path: string) => {
    const answer = await ada.api(path)
    return [answer.status, answer.headers.get('retry-after')]
  }
  assert.deepEqual(await read('/api/operations'), [429, '1'])
  ofRuntime = { 'retry-after': '7' }
  assert.deepEqual(await read('/api/operations'), [429, '7'])
  ofRuntime = {}
  status = 503
  assert.deepEqual(await read('/api/operations'), [503, '1'])
  // a stream says a later time
  assert.deepEqual(await read('/api/events'), [503, '5'])
  assert.deepEqual(await read('/api/unknown'), [404, null])
})
