import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { EVERYWHERE, startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { AuthServer } from '../testing.ts'
import { createAdapter } from './provider-store.ts'

const USERS = [
  { username: 'Ada', password: 'correct horse', roles: [EVERYWHERE('admin')] },
  {
    username: 'eve',
    password: 'battery staple',
    roles: [{ role: 'viewer' as const, scope: { environmentKey: 'prod' } }],
  },
  { username: 'nobody', password: 'no role at all', roles: [] },
]

interface SessionAnswer {
  user: { id: string; name: string }
  roles: string[]
  permissions: string[]
  grants: unknown[]
}

describe('sign-in with the embedded identity provider', () => {
  let server: AuthServer
  before(async () => {
    server = await startAuthServer({ users: USERS })
  })
  after(() => server.stop())
  const browser = (): TestBrowser => new TestBrowser(server.origin)
  const sessionOf = async (person: TestBrowser): Promise<SessionAnswer> =>
    (await (await person.api('/api/session')).json()) as SessionAnswer

  it('returns to the requested page with a session', async () => {
    const ada = browser()
    assert.equal((await ada.api('/api/session')).status, 401)
    const { response, way } = await ada.signIn('ada', 'correct horse', '/operations?state=FAILED')
    assert.equal(response.status, 200)
    assert.equal(way.at(-1), `${server.origin}/operations?state=FAILED`)
    const { user, roles, permissions, grants } = await sessionOf(ada)
    assert.match(user.id, /^[0-9a-f-]{36}$/)
    assert.equal(user.name, 'Ada')
    assert.deepEqual(roles, ['admin'])
    assert.deepEqual(permissions.toSorted(), PERMISSIONS.toSorted())
    assert.deepEqual(grants, [{ permissions, scope: null }])
  })

  it('keeps a role within its scope', async () => {
    const eve = browser()
    await eve.signIn('EVE', 'battery staple')
    const { grants, permissions } = await sessionOf(eve)
    assert.deepEqual(permissions, ['read'])
    assert.deepEqual(grants, [{ permissions: ['read'], scope: { environmentKey: 'prod' } }])
  })

  it('refuses a person without a role, and says so', async () => {
    const nobody = browser()
    const { response } = await nobody.signIn('nobody', 'no role at all')
    assert.equal(response.status, 403)
    assert.match(await response.text(), /signed in as <strong>nobody<\/strong>/)
    assert.equal(nobody.session, null)
  })

  it('does not distinguish a wrong password from a wrong name', async () => {
    const form = await browser().openForm()
    assert.match(form, /\/idp\/interaction\//)
    const ada = browser()
    const words = async (name: string): Promise<[number, string]> => {
      const { response } = await ada.signIn(name, 'wrong')
      return [response.status, (await response.text()).replace(/(action|value)="[^"]*"/g, '')]
    }
    assert.deepEqual(await words('ada'), await words('mallory'))
    assert.equal((await words('ada'))[0], 401)
    assert.equal(ada.session, null)
  })

  it('escapes the submitted username (C06)', async () => {
    const { response } = await browser().signIn('"><img src=x onerror=alert(1)>', 'wrong')
    const page = await response.text()
    assert.ok(!page.includes('<img') && page.includes('&quot;&gt;&lt;img'))
  })

  it('accepts a form only from its own origin', async () => {
    const ada = browser()
    const form = await ada.openForm()
    const from = async (headers: Record<string, string>): Promise<number> =>
      (await ada.submit(form, 'ada', 'correct horse', headers)).status
    assert.equal(await from({ origin: 'https://evil.example' }), 403)
    assert.equal(await from({ origin: 'null' }), 403)
    assert.equal(await from({ 'sec-fetch-site': 'same-site' }), 403)
    assert.equal(await from({ 'sec-fetch-site': 'same-origin', origin: 'null' }), 303)
  })

  it('accepts a state once, and only from the browser that started (B07)', async () => {
    const ada = browser()
    const form = await ada.openForm()
    const submitted = await ada.submit(form, 'ada', 'correct horse')
    const resumed = await ada.request(submitted.headers.get('location') ?? '')
    const callback = resumed.headers.get('location') ?? ''
    assert.match(callback, /\/auth\/callback\?code=.+&state=.+&iss=/)

    const other = browser()
    await other.openForm()
    assert.equal((await other.request(callback)).status, 400)
    const forged = callback.replace(/state=[^&]+/, 'state=forged')
    assert.equal((await ada.request(forged)).status, 400)

    assert.equal((await ada.request(callback)).status, 303)
    const first = ada.session
    assert.ok(first)
    assert.equal((await ada.request(callback)).status, 400)
    assert.equal(ada.session, first)
  })

  it('allows two tabs to sign in at the same time', async () => {
    const ada = browser()
    const [one, two] = [await ada.openForm('/one'), await ada.openForm('/two')]
    for (const [form, page] of [
      [two, '/two'],
      [one, '/one'],
    ] as const) {
      const submitted = await ada.submit(form, 'ada', 'correct horse')
      const { way } = await ada.follow(submitted.headers.get('location') ?? '/failed')
      assert.equal(way.at(-1), server.origin + page)
    }
  })

  it('refuses a wrong code and a wrong provider (F01)', async () => {
    for (const [part, forged] of [
      [/code=[^&]+/, 'code=forged'],
      [/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'],
      [/&iss=[^&]+/, ''],
      [/code=[^&]+/, 'error=access_denied&error_description=%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    ] as const) {
      const ada = browser()
      const submitted = await ada.submit(await ada.openForm(), 'ada', 'correct horse')
      const resumed = await ada.request(submitted.headers.get('location') ?? '')
      const response = await ada.request((resumed.headers.get('location') ?? '').replace(part, forged))
      assert.equal(response.status, 502, forged)
      assert.ok(!(await response.text()).includes('alert'))
      assert.equal(ada.session, null)
    }
  })

  it('reports an expired sign-in when its form is sent late or twice', async () => {
    const ada = browser()
    const form = await ada.openForm()
    await ada.follow((await ada.submit(form, 'ada', 'correct horse')).headers.get('location') ?? '')
    const late = await ada.submit(form, 'ada', 'correct horse')
    assert.equal(late.status, 400)
    assert.match(await late.text(), /has expired/)
    assert.equal((await browser().request(new URL(form).pathname)).status, 400)
  })

  it('starts a new session at the next sign-in and ends the old one (A03)', async () => {
    const ada = browser()
    await ada.signIn('ada', 'correct horse')
    const old = ada.session
    await ada.signIn('eve', 'battery staple')
    assert.notEqual(ada.session, old)
    assert.equal((await sessionOf(ada)).user.name, 'eve')
    const replay = await browser().api('/api/session', { headers: { cookie: old ?? '' } })
    assert.equal(replay.status, 401)
  })

  it('takes as long as it may, and keeps its times, on replicas whose clocks differ', async () => {
    const now = Math.floor(Date.now() / 1000)
    const recordOf = (lateSeconds: number) => createAdapter(server.database.db, () => lateSeconds)('Session')
    // the clock of the second one is five minutes ahead, and that of the third behind
    const times = { iat: now, exp: now + 60, loginTs: now - 5, authTime: now - 5 }
    await recordOf(0).upsert('a-session', { ...times, accountId: 'ada' }, 60)
    for (const ahead of [300, -300])
      assert.deepEqual(await recordOf(-ahead).find('a-session'), {
        ...Object.fromEntries(Object.entries(times).map(([name, time]) => [name, time + ahead])),
        accountId: 'ada',
        jti: 'a-session',
      })
  })

  it('asks for the password again after signing out', async () => {
    const ada = browser()
    await ada.signIn('ada', 'correct horse')
    await ada.api('/auth/logout', { method: 'POST' })
    assert.match(await ada.openForm(), /\/idp\/interaction\//)
  })

  it('uses the browser’s language', async () => {
    const ada = browser()
    const form = await ada.openForm()
    const page = async (language: string): Promise<string> =>
      (await ada.request(form, { headers: { 'accept-language': language } })).text()
    assert.match(await page('zh-CN,zh;q=0.9,en;q=0.8'), /<html lang="zh-Hans">[\s\S]*登录/)
    assert.match(await page('de, en;q=0.5, zh;q=0.4'), /<html lang="en">/)
    assert.match(await page('en;q=0.2, zh-TW'), /lang="zh-Hans"/)
  })

  it('sets every cookie with its flags and every page with its headers (A01)', async () => {
    const ada = browser()
    const form = await ada.openForm()
    await ada.signIn('ada', 'correct horse')
    assert.ok(ada.cookies.size > 0)
    for (const { name, value, attributes } of ada.cookies.values()) {
      const isSession = `${name}=${value}` === ada.session
      assert.match(attributes, /httponly/i, name)
      assert.match(attributes, isSession ? /samesite=strict/i : /samesite=lax/i, name)
      assert.doesNotMatch(attributes, /domain=/i, name)
    }
    for (const path of [
      form,
      '/auth/login',
      '/auth/callback',
      '/idp/nothing',
      '/idp/auth',
      '/auth/sign-in.css',
    ]) {
      const { headers } = await browser().request(path)
      assert.match(
        headers.get('content-security-policy') ?? '',
        /default-src 'none'.*frame-ancestors 'none'/,
        path,
      )
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe|\*/, path)
    }
  })

  const dumpOf = async (): Promise<string> => {
    let dump = ''
    for (const table of ['session', 'sign_in', 'idp_record', 'idp_user']) {
      const { rows } = await sql`select t::text from bff.${sql.ref(table)} t`.execute(server.database.db)
      dump += JSON.stringify(rows)
    }
    return dump
  }

  it('stores no usable secret in the database, even during a sign-in (A02, H06)', async () => {
    const ada = browser()
    const form = await ada.openForm()
    const pending = [...ada.cookies.values()].map(({ value }) => value)
    assert.ok(
      pending.includes(form.slice(form.lastIndexOf('/') + 1)),
      'the address of the form contains the value of its cookie',
    )
    let during = await dumpOf()
    const submitted = await ada.submit(form, 'ada', 'correct horse')
    during += await dumpOf()
    const resumed = await ada.request(submitted.headers.get('location') ?? '')
    during += await dumpOf()
    const callback = new URL(resumed.headers.get('location') ?? '')
    await ada.request(callback.href)
    const done = await dumpOf()
    const param = (name: string): string => callback.searchParams.get(name) ?? 'missing'
    const secrets = [...pending, ...[...ada.cookies.values()].map(({ value }) => value), 'correct horse']
    for (const secret of [...secrets, param('code')])
      if (secret !== '') assert.ok(!(during + done).includes(secret), secret)
    // the provider returns it to the callback; it is useless without the browser's cookie
    assert.ok(!done.includes(param('state')))
    assert.doesNotMatch(during + done, /eyJ[\w-]{10,}\./)
    assert.ok(!server.log().includes('correct horse'))
  })
})
