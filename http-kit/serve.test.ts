import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from './serve.ts'

const app = { fetch: () => new Response('served') }
const open = (startMs?: number) =>
  listen({ port: 0, hostname: '127.0.0.1', ...(startMs !== undefined && { startMs }) })

test('requests of a program that is starting wait until it serves', async () => {
  const listener = await open()
  const early = [1, 2, 3].map(() => fetch(`http://127.0.0.1:${listener.port}/`))
  const first = await Promise.race([...early, sleep(100, 'none', { ref: false })])
  assert.equal(first, 'none')
  listener.serve({ app })
  for (const response of await Promise.all(early)) assert.equal(await response.text(), 'served')
  await listener.stop()
})

test('they get 503 if the start takes longer, or is given up', async () => {
  const slow = await open(50)
  const late = await fetch(`http://127.0.0.1:${slow.port}/`)
  assert.equal(late.status, 503)
  assert.equal(late.headers.get('retry-after'), '1')
  await slow.stop()

  const stopped = await open()
  const pending = fetch(`http://127.0.0.1:${stopped.port}/`)
  await sleep(100)
  await stopped.stop()
  assert.equal((await pending).status, 503)
})

test('headers have a limit, which a program can raise', async () => {
  const send = async (maxHeaderBytes?: number): Promise<number> => {
    const listener = await listen({
      port: 0,
      hostname: '127.0.0.1',
      ...(maxHeaderBytes !== undefined && { maxHeaderBytes }),
    })
    listener.serve({ app })
    const headers = { 'x-large': 'x'.repeat(100_000) }
    const { status } = await fetch(`http://127.0.0.1:${listener.port}/`, { headers })
    await listener.stop()
    return status
  }
  assert.equal(await send(), 431)
  assert.equal(await send(200_000), 200)
})

test('an IPv6 address may be written as in a URL', async () => {
  const listener = await listen({ port: 0, hostname: '[::1]' })
  listener.serve({ app })
  assert.equal((await fetch(`http://[::1]:${listener.port}/`)).status, 200)
  await listener.stop()
})
