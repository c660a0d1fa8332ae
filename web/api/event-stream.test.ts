import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { followEvents } from './event-stream.ts'
import type { ConnectionState } from './event-stream.ts'
import { standInBrowser } from './testing-browser.ts'

// Against a real server.

type Answer = (response: ServerResponse) => void

let answer: Answer
let requests: { at: number; lastEventId: string | undefined }[] = []
const server = createServer((request, response) => {
  requests.push({ at: performance.now(), lastEventId: request.headers['last-event-id']?.toString() })
  answer(response)
})
const { document: page } = standInBrowser(() => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
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
  const stop = followEvents({
    onEvent: () => undefined,
    onBegin: () => undefined,
    onReset: () => undefined,
    onSignedOut: () => undefined,
    onState: (state) => states.push(state),
  })
  return { states, stop }
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

  it('backs off when each stream ends at once', async () => {
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

  it('pauses when its stream is replaced, and resumes when the tab is visible again', async () => {
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
})
