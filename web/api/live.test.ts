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
const { liveState } = await import('../base/connection.ts')
const { apiQuery } = await import('./query.ts')
const { referencesCall } = await import('#contract/console-api/pages/installations.ts')

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
  t.after(startLiveUpdates(queryClient, () => undefined))
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
  t.after(startLiveUpdates(queryClient, () => undefined))
  const page = show()
  t.after(page.leave)
  await page.until('error', 5_000)
  answers['/api/summary'] = summary
  await page.until('success', 20_000)
  assert.equal(reads, 2)
})

test('the references of an installation are refetched when it changes itself, and no other', async (t) => {
  const [own, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const counts: Record<string, number> = {}
  for (const id of [own, other])
    answers[`/api/installations/${id}/references`] = (response) => {
      counts[id] = (counts[id] ?? 0) + 1
      response.end('{"items":[]}')
    }
  const changed = (id: string, at: number) =>
    `id: 7-${at}\nevent: installation\ndata: ${JSON.stringify({ kind: 'installation', row: { installation: { bundleInstallId: id } } })}\n\n`
  const stream = Promise.withResolvers<ServerResponse>()
  answers['/api/events'] = (response) => {
    openStream(response)
    stream.resolve(response)
  }
  t.after(startLiveUpdates(queryClient, () => undefined))
  const until = async (id: string, count: number): Promise<void> => {
    const deadline = performance.now() + 5_000
    while (counts[id] !== count) {
      assert.ok(performance.now() < deadline, `not read ${count} times`)
      await sleep(20)
    }
  }
  for (const id of [own, other]) {
    const name = 'GET /installations/{bundleInstallId}/references'
    t.after(new QueryObserver(queryClient, apiQuery(name, referencesCall(id))).subscribe(() => undefined))
    await until(id, 1)
  }
  const response = await stream.promise
  response.write(changed(own, 2))
  await until(own, 2)
  response.write(changed(other, 3))
  await until(other, 2)
  assert.equal(counts[own], 2)
})

test('an event changes the row that it is about in what is cached, and nothing else', async (t) => {
  const stream = Promise.withResolvers<ServerResponse>()
  answers['/api/events'] = (response) => {
    openStream(response)
    stream.resolve(response)
  }
  t.after(startLiveUpdates(queryClient, () => undefined))
  const row = (operationId: string, state: string) => ({
    operationId,
    state,
    finishedAt: null,
    assignee: null,
  })
  const pages = ['one', 'other'].map((name) => {
    const key = ['GET /operations', name] as const
    queryClient.setQueryData(key, { items: [row(name, 'RUNNING'), row(`${name} too`, 'RUNNING')] })
    return () => queryClient.getQueryState<{ items: unknown[] }>(key)
  })
  const event = { kind: 'operation', row: row('one', 'SUCCEEDED') }
  const response = await stream.promise
  response.write(`id: 7-2\nevent: operation\ndata: ${JSON.stringify(event)}\n\n`)
  const deadline = performance.now() + 5_000
  while (pages[0]?.()?.dataUpdateCount !== 2) {
    assert.ok(performance.now() < deadline, 'not changed')
    await sleep(20)
  }
  assert.deepEqual(pages[0]?.()?.data?.items, [row('one', 'SUCCEEDED'), row('one too', 'RUNNING')])
  assert.equal(pages[1]?.()?.dataUpdateCount, 1)
})

for (const [what, events] of [
  ['is never answered', () => undefined],
  [
    'has only headers',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
    },
  ],
  ['is refused', (response: ServerResponse) => void response.writeHead(403).end('{}')],
] as const)
  test(`while the event stream ${what}, everything shown is read again, also what only events announce`, async (t) => {
    const scope = { environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: 1 }
    let version = 1
    answers['/api/events'] = events
    answers['/api/session'] = (response) => void response.end('{}')
    answers['/api/scopes/production/eu/1/configuration'] = (response) =>
      void response.end(JSON.stringify({ snapshotVersion: version }))
    let pastReads = 0
    answers['/api/scopes/production/eu/1/configuration/snapshots/1'] = (response) => {
      pastReads++
      response.end('{}')
    }
    const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const
    t.after(startLiveUpdates(queryClient, () => undefined, 200))
    const session = new QueryObserver(queryClient, apiQuery('GET /session', {}))
    t.after(session.subscribe(() => undefined))
    const observer = new QueryObserver(queryClient, {
      ...apiQuery(`GET ${base}`, { params: scope }),
      refetchOnWindowFocus: false,
    })
    t.after(observer.subscribe(() => undefined))
    const past = new QueryObserver(queryClient, {
      ...apiQuery(`GET ${base}/snapshots/{snapshotVersion}`, { params: { ...scope, snapshotVersion: 1 } }),
      staleTime: Infinity,
    })
    t.after(past.subscribe(() => undefined))
    const shows = async (expected: number): Promise<void> => {
      const deadline = performance.now() + 8_000
      while (observer.getCurrentResult().data?.snapshotVersion !== expected) {
        assert.ok(performance.now() < deadline, `version ${expected} is not shown`)
        await sleep(20)
      }
    }
    await shows(1)
    version = 2
    await shows(2)
    assert.equal(liveState(), 'polling')
    const { document: page } = globalThis as unknown as { document: { visibilityState: string } }
    page.visibilityState = 'hidden'
    t.after(() => (page.visibilityState = 'visible'))
    version = 3
    await sleep(600)
    assert.equal(observer.getCurrentResult().data?.snapshotVersion, 2, 'a hidden page does not read')
    page.visibilityState = 'visible'
    await shows(3)
    assert.equal(pastReads, 1)
    // requests fail as well
    answers['/api/scopes/production/eu/1/configuration'] = unavailable
    answers['/api/session'] = unavailable
    const deadline = performance.now() + 5_000
    while (liveState() !== 'lost') {
      assert.ok(performance.now() < deadline, 'not lost')
      await sleep(20)
    }
  })
