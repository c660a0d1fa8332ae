import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { startTestServer, testDatabase } from '#database/testing.ts'
import type { TestServer } from '#database/testing.ts'
import { bffMigrations } from './store/tables.ts'
import { startConsole } from './testing-console.ts'
import { TestBrowser } from './testing-browser.ts'

// A complete console on a server that goes down. An uncaught error fails the run.

let database: TestServer
let connection: ConnectionSettings
let origin: string
let stop: () => Promise<void>

before(async () => {
  database = await startTestServer()
  ;({ connection } = await testDatabase({ migrations: [bffMigrations], server: database.url }))
  const console = await startConsole({ connection })
  origin = console.origin
  stop = async () => {
    await console.stop()
    await database.stop()
  }
})
after(() => stop())

it('while the database is down, requests get a retryable 503 and nobody is signed out', async () => {
  const ada = new TestBrowser(origin)
  await ada.signIn('ada', 'correct horse')
  const form = await ada.openForm()
  const { session } = ada
  assert.ok(session !== null)
  assert.equal((await ada.api('/api/session')).status, 200)

  await database.pause()
  const requests: [path: string, init?: RequestInit][] = [
    ['/api/session'],
    ['/api/operations'],
    ['/api/events'],
    ['/auth/login', { headers: { 'sec-fetch-dest': 'document' } }],
    ['/auth/logout', { method: 'POST', headers: { origin } }],
  ]
  for (const [path, init] of requests) {
    const response = await ada.api(path, init)
    assert.equal(response.status, 503, path)
    assert.equal(response.headers.get('content-type'), 'application/problem+json')
    assert.equal(response.headers.get('retry-after'), '1')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('clear-site-data'), null)
    const problem = (await response.json()) as Record<string, unknown>
    assert.equal(problem['code'], 'SERVICE_UNAVAILABLE', path)
    assert.equal(problem['message'], 'The database cannot be reached. Retry in a moment.', path)
    assert.deepEqual(problem['parameters'], { reason: 'databaseAway' })
    assert.equal(problem['retryable'], true)
    assert.match(String(problem['requestId']), /./)
    assert.equal(ada.session, session, path)
  }
  // the embedded identity provider's own pages
  assert.equal((await ada.submit(form, 'ada', 'correct horse')).status, 503)
  assert.equal((await ada.request(form)).status, 503)
  assert.equal((await ada.request('/healthz')).status, 200)

  await database.restart()
  assert.equal((await ada.api('/api/session')).status, 200)
})

it('while the database is out of space, reads work and writes report why they failed', async () => {
  const ada = new TestBrowser(origin)
  await ada.signIn('ada', 'correct horse')
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  // long enough ago that the next request records activity
  await client.query(`update bff.session set last_seen_at = last_seen_at - interval '1 minute'`)
  await client.query(`
    create function public.refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file "base/5/16384"' using errcode = '53100'; end $$;
    create trigger on_full_disk before insert or update on bff.session for each statement execute function public.refuse();
    create trigger on_full_disk before insert on bff.sign_in for each statement execute function public.refuse()`)

  assert.equal((await ada.api('/api/session')).status, 200)
  const refused = await ada.request('/auth/login', { headers: { 'sec-fetch-dest': 'document' } })
  assert.equal(refused.status, 503)
  const problem = (await refused.json()) as Record<string, unknown>
  assert.equal(problem['code'], 'SERVICE_UNAVAILABLE')
  assert.equal(problem['message'], 'The database has no space left. Free space, then retry.')

  await client.query('drop function public.refuse() cascade')
  await client.end()
  const again = new TestBrowser(origin)
  await again.signIn('ada', 'correct horse')
  assert.equal((await again.api('/api/session')).status, 200)
})
