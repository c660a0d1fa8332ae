import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { generateKeyPair } from 'jose'
import type { JWTPayload } from 'jose'
import { sql } from 'kysely'
import { ExternalProvider } from '../oidc/testing-provider.ts'
import { startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { AuthServer } from '../testing.ts'

const ADA = { sub: 'u-1', name: 'Ada', sid: 's-1', roles: ['operator'] }

describe('sessions of an external identity provider', () => {
  const provider = new ExternalProvider()
  let server: AuthServer
  let replica: { address: string }
  before(async () => {
    await provider.start()
    const { issuer } = provider
    server = await startAuthServer({
      publicOrigin: 'https://console.example.org',
      // with a slash that its tokens do not have: discovery takes both
      externalIdp: { issuer: `${issuer}/`, clientId: 'console', clientSecret: 'client-secret' },
    })
    replica = await server.replica()
  })
  after(async () => {
    await server.stop()
    await provider.stop()
  })
  beforeEach(async () => {
    Object.assign(provider, {
      claims: ADA,
      refreshToken: null,
      tokenError: null,
      refreshesIdToken: true,
      userinfo: null,
    })
    Object.assign(provider, { refreshes: 0, revoked: [] })
    await sql`truncate bff.session, bff.audit_event`.execute(server.database.db)
  })

  const signedIn = async (claims: JWTPayload = ADA): Promise<TestBrowser> => {
    provider.claims = claims
    const browser = new TestBrowser(server.origin)
    browser.connectTo = server.address
    const sent = await browser.request('/auth/login')
    await browser.request(provider.callback(new URL(sent.headers.get('location') ?? '')))
    return browser
  }
  const status = async (browser: TestBrowser) => (await browser.api('/api/session')).status
  const rolesOf = async (browser: TestBrowser) =>
    ((await (await browser.api('/api/session')).json()) as { roles?: string[] }).roles
  const aMinuteLater = () =>
    sql`update bff.session set asked_at = asked_at - interval '61 seconds'`.execute(server.database.db)
  const endings = async () => {
    const { rows } = await sql<{ subject: string }>`
      delete from bff.audit_event where action = 'session.end' returning subject`.execute(server.database.db)
    return rows.map(({ subject }) => subject)
  }

  it('have the roles of the newest sign-in of the person, all of them (G11)', async () => {
    const [first, other] = [
      await signedIn({ ...ADA, roles: ['admin'] }),
      await signedIn({ ...ADA, sub: 'u-2' }),
    ]
    const second = await signedIn({ ...ADA, roles: ['viewer'] })
    first.connectTo = replica.address
    assert.deepEqual(await Promise.all([first, second, other].map(rolesOf)), [
      ['viewer'],
      ['viewer'],
      ['operator'],
    ])
    await signedIn({ ...ADA, roles: [] })
    assert.deepEqual(await Promise.all([first, second, other].map(status)), [401, 401, 200])
    assert.deepEqual(await endings(), ['console (no role)', 'console (no role)'])
  })

  it('end with the next request when the provider refuses the refresh token (A06)', async () => {
    provider.refreshToken = 'refresh-1'
    const ada = await signedIn()
    assert.equal(await status(ada), 200)
    assert.equal(provider.refreshes, 0)
    await aMinuteLater()
    provider.tokenError = { status: 400, body: { error: 'invalid_grant' } }
    assert.equal(await status(ada), 401)
    const { rows } = await sql`select 1 from bff.session`.execute(server.database.db)
    assert.equal(rows.length, 0)
    assert.deepEqual(await endings(), ['console (identity provider)'])
  })

  it('ask once for all requests and replicas, and get the roles and the new token (F05, G11)', async () => {
    provider.refreshToken = 'refresh-1'
    const ada = await signedIn()
    await aMinuteLater()
    provider.claims = { ...ADA, roles: ['viewer'] }
    provider.refreshToken = 'refresh-2'
    const elsewhere = new TestBrowser(server.origin)
    for (const [key, cookie] of ada.cookies) elsewhere.cookies.set(key, cookie)
    elsewhere.connectTo = replica.address
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => status(index % 2 === 0 ? ada : elsewhere)),
    )
    assert.deepEqual(new Set(answers), new Set([200]))
    assert.equal(provider.refreshes, 1)
    assert.equal(provider.lastTokenRequest.get('refresh_token'), 'refresh-1')
    assert.deepEqual(await rolesOf(ada), ['viewer'])
    await aMinuteLater()
    await status(ada)
    assert.equal(provider.lastTokenRequest.get('refresh_token'), 'refresh-2')
    await ada.api('/auth/logout', { method: 'POST' })
    assert.deepEqual(provider.revoked, ['refresh-2'])
  })

  it('end when the provider says that the person has no role any more', async () => {
    provider.refreshToken = 'refresh-1'
    const [ada, second] = [await signedIn(), await signedIn()]
    await aMinuteLater()
    provider.claims = { ...ADA, roles: [] }
    assert.equal(await status(ada), 401)
    assert.equal(await status(second), 401)
    assert.equal(await status(ada), 401)
  })

  it('go on while the provider says nothing: it fails, or a refresh tells no roles', async () => {
    provider.refreshToken = 'refresh-1'
    const ada = await signedIn()
    await aMinuteLater()
    provider.tokenError = { status: 503, body: { error: 'temporarily_unavailable' } }
    assert.deepEqual(await rolesOf(ada), ['operator'])
    provider.tokenError = null
    await aMinuteLater()
    provider.refreshesIdToken = false
    assert.deepEqual(await rolesOf(ada), ['operator'])
    await aMinuteLater()
    provider.userinfo = { sub: 'u-1', name: 'Ada', roles: ['viewer'] }
    assert.deepEqual(await rolesOf(ada), ['viewer'])
    await aMinuteLater()
    // another person's tokens are not believed
    Object.assign(provider, { refreshesIdToken: true, claims: { ...ADA, sub: 'u-2', roles: ['admin'] } })
    assert.deepEqual(await rolesOf(ada), ['viewer'])
  })

  describe('a logout token of the provider', () => {
    const logOut = async (token: string, type = 'application/x-www-form-urlencoded') => {
      const response = await fetch(`${replica.address}/auth/backchannel-logout`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: new URLSearchParams({ logout_token: token }).toString(),
      })
      return response.status
    }

    it('ends the named session, or all of a person, on all replicas, once (F06)', async () => {
      const [first, second, other] = [
        await signedIn(),
        await signedIn({ ...ADA, sid: 's-2' }),
        await signedIn({ ...ADA, sub: 'u-2', sid: 's-3' }),
      ]
      assert.equal(await logOut(await provider.logoutToken({ sub: 'u-1', sid: 's-1' })), 200)
      assert.deepEqual(await Promise.all([first, second, other].map(status)), [401, 200, 200])
      assert.equal(await logOut(await provider.logoutToken({ sid: 's-3' })), 200)
      assert.equal(await status(other), 401)
      assert.deepEqual(await endings(), ['console (identity provider)', 'console (identity provider)'])
      const token = await provider.logoutToken({ sub: 'u-1' })
      assert.equal(await logOut(token), 200)
      assert.equal(await status(second), 401)
      const again = await signedIn()
      assert.equal(await logOut(token), 400)
      assert.equal(await status(again), 200)
    })

    it('has the keys fetched once, as an ID token has, however many unknown keys are named (F11)', async () => {
      const { sign } = provider
      assert.equal(await logOut(await provider.logoutToken({ sub: 'u-1' })), 200)
      await signedIn()
      const before = provider.keysRead
      const { privateKey: key } = await generateKeyPair('RS256')
      provider.sign = (claims) => provider.signWith(key, claims, { alg: 'RS256', kid: crypto.randomUUID() })
      try {
        for (let tried = 0; tried < 10; tried++) {
          const token = await provider.logoutToken({ sub: 'u-1' }, { key, kid: crypto.randomUUID() })
          // refused for now, as the key may be newer than those that were read
          assert.match(String(await logOut(token)), tried === 0 ? /^(400|503)$/ : /^503$/)
          assert.equal(await status(await signedIn()), 401)
        }
      } finally {
        provider.sign = sign
      }
      // once by each of the two that verify, if the keys that they had were old
      assert.ok(provider.keysRead - before <= 2, `${provider.keysRead - before}`)
    })

    it('is refused if anything in it is wrong (F06)', async () => {
      const ada = await signedIn()
      const now = Math.floor(Date.now() / 1000)
      const about = { sub: 'u-1' }
      const { privateKey } = await generateKeyPair('RS256')
      const wrong: [string, Promise<string> | string][] = [
        ['signature', provider.logoutToken(about, { key: privateKey })],
        ['issuer', provider.logoutToken({ ...about, iss: 'https://evil.example' })],
        ['audience', provider.logoutToken({ ...about, aud: 'another' })],
        ['old', provider.logoutToken({ ...about, iat: now - 300 })],
        ['expired', provider.logoutToken({ ...about, exp: now - 60 })],
        ['future', provider.logoutToken({ ...about, iat: now + 300, exp: now + 400 })],
        ['no iat', provider.logoutToken({ ...about, iat: undefined })],
        ['no jti', provider.logoutToken({ ...about, jti: undefined })],
        ['no events', provider.logoutToken({ ...about, events: undefined })],
        ['other event', provider.logoutToken({ ...about, events: { 'https://example.org/event': {} } })],
        [
          'event of another type',
          provider.logoutToken({
            ...about,
            events: { 'http://schemas.openid.net/event/backchannel-logout': 'x' },
          }),
        ],
        ['nonce', provider.logoutToken({ ...about, nonce: 'n' })],
        ['nobody', provider.logoutToken()],
        ['type', provider.logoutToken(about, { typ: 'at+jwt' })],
        ['no signature', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
        ['no token', 'x'],
      ]
      for (const [name, token] of wrong) assert.equal(await logOut(await token), 400, name)
      assert.equal(await logOut(await provider.logoutToken(about), 'application/json'), 400)
      assert.equal(await status(ada), 200)
      assert.equal(await logOut(await provider.logoutToken(about)), 200)
      assert.equal(await status(ada), 401)
    })
  })
})
