import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { standInBrowser } from './testing-browser.ts'

// Against a real server. The browser globals must exist before these modules are loaded.

const answers: Record<string, (response: ServerResponse) => void> = {}
let reads = 0
const server = createServer((request, response) => {
  if (request.url === '/api/summary') reads++
  answers[request.url ?? '']?.(response)
})
standInBrowser(() => `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
const { QueryObserver } = await import('@tanstack/react-query')
const { queryClient } = await import('../app/query-client.ts')
const { startLiveUpdates } = await import('./live.ts')
const { apiQuery } = await import('./query.ts')

const unavailable = (response: ServerResponse): void => {
  const problem = { code: 'UPSTREAM_UNAVAILABLE', title: '', message: '', remedy: '', errorPath: [] }
  response.writeHead(503).end(JSON.stringify({ ...problem, status: 503, retryable: true }))
}
const summary = (response: ServerResponse): void => void response.end('{"claims":[]}')
const openStream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('id: 7-1\n\n')
}

before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeEach(() => {
  reads = 0
  queryClient.clear()
})
after(() => {
  queryClient.clear()
  server.closeAllConnections()
  server.close()
})

/** A page that shows the summary until the test ends. */
function show() {
  const observer = new QueryObserver(queryClient, apiQuery('GET /summary', {}))
  const leave = observer.subscribe(() => undefined)
  const until = async (status: 'error' | 'success', withinMs: number): Promise<void> => {
    const deadline = performance.now() + withinMs
    while (observer.getCurrentResult().status !== status) {
      assert.ok(performance.now() < deadline, `not ${status} within ${withinMs} ms`)
      await sleep(20)
    }
  }
  return { leave, until }
}

test('failed reads are refetched as soon as the event stream is open again', async (t) => {
  answers['/api/events'] = unavailable
  answers['/api/summary'] = unavailable
  t.after(startLiveUpdates(queryClient))
  const page = show()
  t.after(page.leave)
  await page.until('error', 5_000)
  answers['/api/events'] = openStream
  answers['/api/summary'] = summary
  await page.until('success', 5_000)
  assert.equal(reads, 2)
})

test('a page that shows an outage refetches every 10 s while its event stream stays open', async (t) => {
  answers['/api/events'] = openStream
  answers['/api/summary'] = unavailable
  t.after(startLiveUpdates(queryClient))
  const page = show()
  t.after(page.leave)
  await page.until('error', 5_000)
  answers['/api/summary'] = summary
  await page.until('success', 20_000)
  assert.equal(reads, 2)
})
