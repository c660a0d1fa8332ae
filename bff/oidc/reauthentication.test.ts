import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { EVERYWHERE, startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { AuthServer } from '../testing.ts'

const RETURN_TO = '/operations/1?view=timeline'

describe('signing in again to confirm a session', () => {
  let server: AuthServer
  before(async () => {
    server = await startAuthServer({
      users: ['ada', 'bob', 'nobody'].map((username) => ({
        username,
        password: 'correct horse',
        roles: username === 'nobody' ? [] : [EVERYWHERE('admin')],
      })),
    })
  })
  after(() => server.stop())

  const signedIn = async (): Promise<TestBrowser> => {
    const ada = new TestBrowser(server.origin)
    await ada.signIn('ada', 'correct horse')
    await sql`update bff.session set authenticated_at = clock_timestamp() - interval '1 hour'`.execute(
      server.database.db,
    )
    return ada
  }
  /** Seconds since the sign-in of each session of a person, newest first. */
  const ages = async (name: string): Promise<number[]> => {
    const { rows } = await sql<{ age: number }>`
      select extract(epoch from clock_timestamp() - authenticated_at)::float8 as age from bff.session
      where name = ${name} order by created_at desc`.execute(server.database.db)
    return rows.map(({ age }) => age)
  }
  const confirmAs = async (browser: TestBrowser, username: string) => {
    const { way } = await browser.follow(`/auth/login?confirm=true&returnTo=${encodeURIComponent(RETURN_TO)}`)
    const submitted = await browser.submit(way.at(-1) ?? '', username, 'correct horse')
    return browser.follow(submitted.headers.get('location') ?? '/failed')
  }
  const status = async (browser: TestBrowser) => (await browser.api('/api/session')).status

  it('asks for the password, replaces the session, and returns to the page (A03, F08)', async () => {
    const ada = await signedIn()
    const before = ada.session
    const sessions = (await ages('ada')).length
    const { way } = await ada.follow(`/auth/login?confirm=true&returnTo=${encodeURIComponent(RETURN_TO)}`)
    const asked = new URL(way[1] ?? '').searchParams
    assert.deepEqual([asked.get('prompt'), asked.get('max_age')], ['login', '300'])

    const confirmed = await confirmAs(ada, 'ada')
    assert.equal(confirmed.way.at(-1), server.origin + RETURN_TO)
    assert.notEqual(ada.session, before)
    assert.equal(await status(ada), 200)
    const now = await ages('ada')
    assert.equal(now.length, sessions)
    assert.ok((now[0] ?? 999) < 60, `signed in ${now[0]} s ago`)
    const old = new TestBrowser(server.origin)
    const answer = await old.api('/api/session', { headers: { cookie: before ?? '' } })
    assert.equal(answer.status, 401)
  })

  it('is recent although the clock of this machine, which the embedded provider has, is behind or ahead', async () => {
    for (const minutes of [-20, 20]) {
      // the time of the database
      const now = () => new Date(Date.now() + minutes * 60_000)
      const skewed = await startAuthServer(
        { users: [{ username: 'ada', password: 'correct horse', roles: [EVERYWHERE('admin')] }] },
        { now },
      )
      const ada = new TestBrowser(skewed.origin)
      await ada.signIn('ada', 'correct horse')
      const { way, response } = await confirmAs(ada, 'ada')
      await skewed.stop()
      assert.equal(way.at(-1), skewed.origin + RETURN_TO, `${minutes} minutes: ${response.status}`)
    }
  })

  it('refuses another person, whatever their roles, and keeps the session', async () => {
    for (const other of ['bob', 'nobody']) {
      const ada = await signedIn()
      const before = ada.session
      const { response } = await confirmAs(ada, other)
      assert.equal(response.status, 403)
      const page = await response.text()
      assert.match(page, new RegExp(`You signed in as <strong>${other}</strong>`))
      assert.match(page, /href="\/operations\/1\?view=timeline"/)
      assert.match(
        page,
        /href="\/auth\/login\?confirm=true&amp;returnTo=%2Foperations%2F1%3Fview%3Dtimeline"/,
      )
      assert.equal(ada.session, before)
      assert.equal(await status(ada), 200)
      assert.ok((await ages('ada')).every((age) => age > 3_000))
      assert.deepEqual(await ages(other), [])
      await ada.api('/auth/logout', { method: 'POST', headers: { origin: server.origin } })
    }
  })

  it('is an ordinary sign-in if the session has ended', async () => {
    const bob = new TestBrowser(server.origin)
    const { way } = await confirmAs(bob, 'bob')
    assert.equal(way.at(-1), server.origin + RETURN_TO)
    assert.equal(await status(bob), 200)
  })
})
