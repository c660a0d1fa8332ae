import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { followEvents, reconnectDelay } from './event-stream.ts'
import type { ConnectionState } from '../base/connection.ts'
import { standInBrowser } from './testing-browser.ts'

// Against a real server.

type Answer = (response: ServerResponse) => void | Promise<void>

let answer: Answer
let requests: { at: number; lastEventId: string | undefined }[] = []
const server = createServer((request, response) => {
  requests.push({ at: performance.now(), lastEventId: request.headers['last-event-id']?.toString() })
  void answer(response)
})
const { document: page, window: browser } = standInBrowser(
  () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
)
const stream =
  (...parts: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const part of parts) response.write(part)
  }
const refuse =
  (status: number, headers: Record<string, string>): Answer =>
  (response) => {
    response.writeHead(status, headers).end('{}')
  }

before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  requests = []
  page.visibilityState = 'visible'
})

function follow() {
  const states: ConnectionState[] = []
  const heard: string[] = []
  const stop = followEvents({
    onBegin: () => undefined,
    onEvent: ({ kind, id }) => heard.push(`${kind} ${id}`),
    onReset: () => heard.push('reset'),
    onSignedOut: () => undefined,
    onEnd: () => undefined,
    onState: (state) => states.push(state),
  })
  return { states, heard, stop }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!condition()) {
    assert.ok(performance.now() < deadline, condition.toString())
    await sleep(10)
  }
}

describe('following the events', () => {
  it('honours Retry-After and reports the connection as lost', async () => {
    answer = refuse(503, { 'retry-after': '2' })
    const { states, stop } = follow()
    await until(() => requests.length === 2)
    stop()
    assert.equal(states[0], 'lost')
    const [first, second] = requests
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 1_950)
  })

  it('reports a server that hangs within 5 s, and reconnects', async () => {
    answer = (response) => {
      stream('id: 7-1\n\n')(response)
      answer = stream('id: 7-2\n\n')
    }
    const began = performance.now()
    const { states, stop } = follow()
    await until(() => states.includes('lost'))
    assert.ok(performance.now() - began < 5_000)
    await until(() => states.at(-1) === 'open')
    stop()
    assert.equal(requests[1]?.lastEventId, '7-1')
  })

  it('reports a network that is lost at once, although the connection stays open, and reconnects', async () => {
    answer = (response) => {
      stream('id: 7-1\n\n')(response)
      const beats = setInterval(() => response.write(':\n\n'), 100)
      response.on('close', () => clearInterval(beats))
    }
    const { states, stop } = follow()
    await until(() => states.includes('open'))
    browser.dispatchEvent(new Event('offline'))
    await until(() => states.length === 3)
    stop()
    assert.deepEqual(states, ['open', 'lost', 'open'])
    assert.equal(requests[1]?.lastEventId, '7-1')
  })

  it('backs off if each stream ends at once', async () => {
    answer = (response) => {
      stream('id: 7-1\n\n')(response)
      response.end()
    }
    const { states, stop } = follow()
    await until(() => requests.length === 3)
    stop()
    const waits = requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0))
    assert.ok((waits[0] ?? 0) >= 490 && (waits[1] ?? 0) >= 990, String(waits))
    assert.ok(states.includes('lost'))
    assert.equal(requests[2]?.lastEventId, '7-1')
  })

  it('pauses when its stream is replaced, and resumes once the tab is visible again', async () => {
    answer = stream('id: 7-1\n\n', 'event: replaced\ndata: {}\n\n')
    page.visibilityState = 'hidden'
    const { states, stop } = follow()
    await until(() => states.includes('paused'))
    await sleep(1_000)
    assert.equal(requests.length, 1, 'a hidden tab sends no request')

    answer = stream('id: 7-2\n\n')
    page.visibilityState = 'visible'
    page.dispatchEvent(new Event('visibilitychange'))
    await until(() => states.at(-1) === 'open')
    stop()
    assert.deepEqual(states, ['open', 'paused', 'open'])
    assert.equal(requests[1]?.lastEventId, '7-1')
  })

  it('reads events from chunks of any size', async () => {
    const event = 'id: 7-2\r\nevent: operation\r\ndata: {"id":"é1"}\r\n\r\n'
    answer = async (response) => {
      stream('id: 7-1\n\n: comment\n\n')(response)
      for (const byte of Buffer.from(event)) {
        response.write(Buffer.of(byte))
        await sleep(1)
      }
    }
    const { heard, stop } = follow()
    await until(() => heard.length === 1)
    stop()
    assert.deepEqual(heard, ['operation é1'])
  })

  it('treats an event that is not JSON as a reset and continues', async () => {
    answer = stream(
      'id: 7-1\nevent: operation\ndata: {"half\n\n',
      'id: 7-2\nevent: operation\ndata: {"id":"2"}\n\n',
    )
    const { heard, states, stop } = follow()
    await until(() => heard.length === 2)
    stop()
    assert.deepEqual(heard, ['reset', 'operation 2'])
    assert.deepEqual(states, ['open'])
  })

  it('restarts with a reset after an event that is too large', async () => {
    answer = (response) => {
      if (requests.length > 1) return stream('id: 7-9\n\n')(response)
      stream('id: 7-1\n\n', 'id: 7-2\nevent: operation\ndata: ')(response)
      for (let part = 0; part < 70; part++) response.write('x'.repeat(65_536))
    }
    const { heard, stop } = follow()
    await until(() => requests.length === 2 && heard.length === 1)
    stop()
    assert.deepEqual(heard, ['reset'])
    assert.equal(requests[1]?.lastEventId, undefined)
  })
})

const shortest = () => 0
const longest = () => 1

test('the wait before the event stream is reopened doubles up to 15 s, and varies by half', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => reconnectDelay(failures, null, shortest)),
    [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000],
  )
  assert.equal(reconnectDelay(1, null, longest), 750)
  assert.equal(reconnectDelay(50, null, longest), 22_500)
})

test('the wait is never shorter than the server’s Retry-After', () => {
  assert.equal(reconnectDelay(1, '5', shortest), 5_000)
  assert.equal(reconnectDelay(6, '5', shortest), 15_000)
  assert.equal(reconnectDelay(1, '3600', shortest), 60_000)
  for (const nonsense of ['', '-5', '1e9', 'soon', 'Sun, 22 Nov 2026 10:00:00 GMT'])
    assert.equal(reconnectDelay(1, nonsense, shortest), 500, nonsense)
})
