import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { deliverEvent } from './deliver-event.ts'
import type { DeliverOptions } from './deliver-event.ts'
import type { OutboxEvent } from './event-store.ts'

test('an event whose method is not a path segment of its own is refused before anything is sent', async () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.writeHead(500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const options = {
    platform: { baseUrl: `http://127.0.0.1:${port}`, credential: () => 'c' },
    declarations: { find: () => Promise.resolve(null) },
    timeoutMs: 1_000,
    now: Date.now,
  } as unknown as DeliverOptions
  try {
    for (const method of [
      '..',
      '.',
      '',
      'a/b',
      'a?b',
      'a#b',
      '%2e',
      '%2e%2e',
      'a\\b',
      'a b',
      'x'.repeat(129),
    ]) {
      const event = { method, payload: {}, propertyKey: 'target' } as unknown as OutboxEvent
      assert.equal((await deliverEvent(event, options))?.errorCode, 'EVENT_METHOD_INVALID', method)
    }
    assert.equal(requests, 0)
  } finally {
    server.close()
  }
})
