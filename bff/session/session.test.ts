import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { opaqueValue } from '#http-kit/random.ts'
import { findSessions } from '../store/sessions.ts'
import { EVERYWHERE, startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { AuthServer } from '../testing.ts'
import { safeReturnTo } from '../oidc/sign-in-routes.ts'

describe('sessions', () => {
  let server: AuthServer
  before(async () => {
    server = await startAuthServer({
      users: [{ username: 'ada', password: 'correct horse', roles: [EVERYWHERE('operator')] }],
      limits: { idleSeconds: 600, absoluteSeconds: 3600 },
    })
  })
  after(() => server.stop())

  const signedIn = async (): Promise<TestBrowser> => {
    const browser = new TestBrowser(server.origin)
    await browser.signIn('ada', 'correct horse')
    return browser
  }
  const status = async (
    browser: TestBrowser,
    path = '/api/session',
    init: RequestInit = {},
  ): Promise<number> => (await browser.api(path, init)).status
  /** Moves time in the database, whose clock decides. */
  const age = async (column: 'last_seen_at' | 'created_at', seconds: number): Promise<void> => {
    await sql`update bff.session set ${sql.ref(column)} = clock_timestamp() - make_interval(secs => ${seconds})`.execute(
      server.database.db,
    )
  }

  it('expire when idle, unless there is activity (A04)', async () => {
    const ada = await signedIn()
    await age('last_seen_at', 599)
    assert.equal(await status(ada), 200)
    await age('last_seen_at', 300)
    assert.equal(await status(ada), 200)
    const { rows } = await sql<{ quiet: number }>`
      select extract(epoch from clock_timestamp() - last_seen_at)::float8 as quiet from bff.session`.execute(
      server.database.db,
    )
    assert.ok((rows[0]?.quiet ?? 99) < 5)
    await age('last_seen_at', 601)
    assert.equal(await status(ada), 401)
  })

  it('are not extended by background requests, nor by pages of another person (A04)', async () => {
    const ada = await signedIn()
    await age('last_seen_at', 500)
    assert.equal(await status(ada, '/api/echo', { headers: { 'x-background': '1' } }), 200)
    const events = await ada.api('/api/events')
    assert.deepEqual(await events.json(), { isStillSignedIn: true })
    assert.equal(await status(ada, '/api/echo', { headers: { 'x-person': 'grace' } }), 401)
    const { rows } = await sql<{ quiet: number }>`
      select min(extract(epoch from clock_timestamp() - last_seen_at))::float8 as quiet from bff.session`.execute(
      server.database.db,
    )
    assert.ok((rows[0]?.quiet ?? 0) >= 500)
  })

  it('end at the absolute limit, even if active (A04)', async () => {
    const ada = await signedIn()
    await age('created_at', 3599)
    assert.equal(await status(ada), 200)
    await age('created_at', 3601)
    assert.equal(await status(ada), 401)
  })

  it('go on after the clock was set back, for no longer than from then, and do not stay recent', async () => {
    await sql`delete from bff.session`.execute(server.database.db)
    const ada = await signedIn()
    for (const column of ['last_seen_at', 'created_at'] as const) await age(column, -86_400)
    await sql`update bff.session set authenticated_at = created_at`.execute(server.database.db)
    assert.equal(await status(ada), 200)
    const { rows } = await sql<{ quiet: number; lived: number }>`
      select extract(epoch from clock_timestamp() - last_seen_at)::float8 as quiet,
        extract(epoch from clock_timestamp() - created_at)::float8 as lived from bff.session`.execute(
      server.database.db,
    )
    assert.ok(Math.abs(rows[0]?.quiet ?? 99) < 5)
    assert.ok(Math.abs(rows[0]?.lived ?? 99) < 5)
    const { rows: stored } = await sql<{ id: Buffer }>`select id_hash as id from bff.session`.execute(
      server.database.db,
    )
    const found = await findSessions(
      server.database.db,
      stored.map(({ id }) => id),
      { limits: { idleSeconds: 600, absoluteSeconds: 3600 }, now: new Date() },
    )
    assert.deepEqual(
      [...found.values()].map(({ authenticatedSeconds }) => authenticatedSeconds),
      [null],
    )
  })

  it('end permanently on every replica at sign-out (A05)', async () => {
    const replica = await server.replica()
    const ada = await signedIn()
    const thief = new TestBrowser(server.origin)
    for (const [key, cookie] of ada.cookies) thief.cookies.set(key, cookie)
    thief.connectTo = replica.address
    assert.deepEqual([await status(ada), await status(thief)], [200, 200])

    const response = await ada.api('/auth/logout', { method: 'POST' })
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { redirectTo: '/signed-out' })
    assert.equal(response.headers.get('clear-site-data'), '"cache"')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(ada.session, null)
    assert.equal(await status(thief), 401)
    assert.equal(await status(ada, '/auth/logout', { method: 'POST' }), 200)
    assert.equal((await ada.request('/auth/logout')).status, 405)
    assert.equal((await ada.request('/auth/nothing')).status, 404)
  })

  it('can be started on one replica and finished on another', async () => {
    const replica = await server.replica()
    const ada = new TestBrowser(server.origin)
    const form = await ada.openForm()
    ada.connectTo = replica.address
    const submitted = await ada.submit(form, 'ada', 'correct horse')
    ada.connectTo = null
    const resumed = await ada.request(submitted.headers.get('location') ?? '')
    ada.connectTo = replica.address
    assert.equal((await ada.request(resumed.headers.get('location') ?? '')).status, 303)
    ada.connectTo = null
    assert.equal(await status(ada), 200)
  })

  it('are limited to ten; the oldest ends, and the audit says so (A08)', async () => {
    const { db } = server.database
    const endings = async () => {
      const { rows } = await sql<{ actor: string; client: string | null }>`
        select actor_name as actor, client_address as client from bff.audit_event where action = 'session.end'`.execute(
        db,
      )
      return rows
    }
    await sql`delete from bff.session`.execute(db)
    const browsers: TestBrowser[] = []
    for (let count = 0; count < 11; count++) browsers.push(await signedIn())
    const statuses = await Promise.all(browsers.map((browser) => status(browser)))
    assert.deepEqual(statuses, [401, ...Array.from({ length: 10 }, () => 200)])
    assert.deepEqual(await endings(), [{ actor: 'ada', client: '127.0.0.1' }])
    // a browser that signs in again replaces its own session
    await browsers[5]?.signIn('ada', 'correct horse')
    assert.equal((await endings()).length, 1)
    // one that has expired was not ended by the limit
    await age('last_seen_at', 601)
    await signedIn()
    assert.equal((await endings()).length, 1)
  })

  it('serve no page of another person, who had signed in in this browser before (A03)', async () => {
    const ada = await signedIn()
    const { user } = (await (await ada.api('/api/session')).json()) as { user: { id: string } }
    const on = (id: string) => status(ada, '/api/echo', { headers: { 'x-person': encodeURIComponent(id) } })
    assert.equal(await on(user.id), 200)
    assert.equal(await on('grace'), 401)
  })

  it('are not found for malformed cookies (G05)', async () => {
    const ada = await signedIn()
    const [name = '', value = ''] = ada.session?.split('=') ?? []
    const anonymous = new TestBrowser(server.origin)
    const withCookie = (text: string): Promise<number> =>
      status(anonymous, '/api/session', { headers: { cookie: text } })
    assert.equal(await withCookie(`${name}=${value}`), 200)
    const garbage = [
      '',
      'x',
      value.slice(1),
      `${value}x`,
      `"${value}"`,
      value.toUpperCase(),
      'null',
      '%00',
      "' or 1=1 --",
    ]
    for (const wrong of garbage) assert.equal(await withCookie(`${name}=${wrong}`), 401, wrong)
    assert.equal(await withCookie(`${name}=${value}; ${name}=${value}`), 401)
    assert.equal(await withCookie(`other=${value}`), 401)
    const both = { cookie: `${name}=${value}`, authorization: `Bearer ${value}` }
    assert.equal(await status(anonymous, '/api/session', { headers: both }), 400)
  })
})

describe('requests without a session', () => {
  let server: AuthServer
  before(async () => {
    server = await startAuthServer({
      users: [{ username: 'ada', password: 'correct horse', roles: [EVERYWHERE('viewer')] }],
    })
  })
  after(() => server.stop())

  it('are limited by address; signed-in people at the same address are not (J01)', async () => {
    const ada = new TestBrowser(server.origin)
    await ada.signIn('ada', 'correct horse')
    assert.equal((await ada.api('/api/session')).status, 200)

    const name = ada.session?.split('=', 1)[0] ?? ''
    const statuses = new Map<number, number>()
    let refused: Response | null = null
    for (let round = 0; round < 40; round++) {
      const answers = await Promise.all(
        Array.from({ length: 25 }, () =>
          new TestBrowser(server.origin).api('/api/session', {
            headers: { cookie: `${name}=${opaqueValue()}` },
          }),
        ),
      )
      for (const response of answers) statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      refused = answers.find(({ status }) => status === 429) ?? refused
    }
    assert.deepEqual(new Set(statuses.keys()), new Set([401, 429]))
    assert.ok((statuses.get(401) ?? 0) < 800, `${statuses.get(401)} were looked up`)
    assert.ok(refused !== null)
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.equal(((await refused.json()) as { code: string }).code, 'RATE_LIMITED')
    assert.equal((await ada.api('/api/session')).status, 200)
  })
})

describe('safeReturnTo', () => {
  it('keeps pages of this origin (F09)', () => {
    for (const path of [
      '/',
      '/installations',
      '/installations/0199?tab=history&x=%22a%22',
      '/a/b/c?q=a%20b',
      '/x#y',
      '/operations?state=FAILED#/a?b=%20c',
      "/x?d=('1')",
    ]) {
      assert.equal(safeReturnTo(path), path === "/x?d=('1')" ? '/x?d=(%271%27)' : path)
    }
  })

  it('redirects everything else to / (F09)', () => {
    const unsafe = [
      undefined,
      '',
      'https://evil.example',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
      '/\tevil',
      '/\n/evil.example',
      '/%09/../..//evil.example/..',
      '/..//evil.example',
      '/.//evil.example',
      '/%2e%2e//evil.example',
      '/a/..//evil.example',
      ' /x',
      '/x y',
      '/x#y z',
      '/x#a#b',
      '/x#\\y',
      '/x#<script>',
      '/auth#x',
      '/api#x',
      '//evil.example#x',
      '/é',
      'x',
      './x',
      '?x',
      '/auth/login',
      '/auth/logout',
      '/AUTH/login',
      '/api/session',
      '/idp/auth',
      '/api',
      `/${'x'.repeat(2000)}`,
      '/x\u0000',
      'http:/evil.example',
      '/<script>',
    ]
    for (const target of unsafe) assert.equal(safeReturnTo(target), '/', String(target))
  })
})
