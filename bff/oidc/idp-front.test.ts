import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { AuthServer } from '../testing.ts'

describe('the embedded identity provider behind a reverse proxy', () => {
  let server: AuthServer
  let browser: TestBrowser
  before(async () => {
    server = await startAuthServer({ publicOrigin: 'https://console.example.org' })
    browser = new TestBrowser(server.origin)
    browser.connectTo = server.address
  })
  after(() => server.stop())

  it('uses the public name in its addresses, whatever the request headers say', async () => {
    const lies = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
    }
    for (const headers of [{}, lies]) {
      const answer = await browser.request('/idp/.well-known/openid-configuration', { headers })
      const metadata = (await answer.json()) as Record<string, unknown>
      assert.equal(metadata.issuer, 'https://console.example.org/idp')
      for (const [name, value] of Object.entries(metadata)) {
        if (name.endsWith('_endpoint'))
          assert.match(String(value), /^https:\/\/console\.example\.org\/idp\//, name)
      }
      assert.equal(metadata.end_session_endpoint, undefined)
      assert.equal(metadata.registration_endpoint, undefined)
      assert.deepEqual(metadata.id_token_signing_alg_values_supported, ['ES256'])
    }
  })

  it('completes a sign-in, with cookies for https', async () => {
    const [admin] = server.newUsers
    const { response, way } = await browser.signIn('admin', admin?.password ?? '', '/bundles')
    assert.deepEqual([response.status, way.at(-1)], [200, 'https://console.example.org/bundles'])
    for (const { name, attributes } of browser.cookies.values()) {
      assert.match(name, /^__(Host-Http|Secure)-/)
      assert.match(attributes, /; secure/i, name)
    }
  })

  it('has one client, which cannot be used from other origins', async () => {
    const auth = (changes: Record<string, string>) => {
      const query = new URLSearchParams({
        client_id: 'bundle-console',
        response_type: 'code',
        redirect_uri: 'https://console.example.org/auth/callback',
        scope: 'openid',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
        ...changes,
      })
      return browser.request(`/idp/auth?${query.toString()}`)
    }
    assert.equal((await auth({})).status, 303)
    for (const wrong of [
      { client_id: 'other' },
      { redirect_uri: 'https://evil.example/cb' },
      { redirect_uri: 'https://console.example.org/auth/callback/x' },
    ]) {
      const answer = await auth(wrong)
      assert.equal(answer.status, 400)
      assert.equal(answer.headers.get('location'), null)
    }
    for (const wrong of [
      { response_type: 'token' },
      { code_challenge_method: 'plain' },
      { code_challenge: '' },
    ]) {
      const location = (await auth(wrong)).headers.get('location') ?? 'none'
      assert.doesNotMatch(location, /interaction|code=/)
    }
    const token = await browser.request('/idp/token', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa('bundle-console:guess')}`,
      },
      body: 'grant_type=authorization_code&code=x&redirect_uri=https%3A%2F%2Fconsole.example.org%2Fauth%2Fcallback',
    })
    assert.equal(token.status, 401)
  })

  it('grants no CORS permission and refuses preflights (B04)', async () => {
    const cors = (answer: Response): string[] =>
      [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const requests: [path: string, method: 'GET' | 'POST', headers?: Record<string, string>][] = [
      ['/idp/.well-known/openid-configuration', 'GET'],
      ['/idp/.well-known/oauth-authorization-server', 'GET'],
      ['/idp/jwks', 'GET'],
      ['/idp/me', 'GET'],
      ['/idp/me', 'GET', { authorization: 'Bearer invented' }],
      ['/idp/me', 'POST'],
      ['/idp/token', 'POST', form],
      ['/idp/auth', 'GET'],
      ['/idp/auth/invented', 'GET'],
      ['/idp/interaction/invented', 'GET'],
      ['/idp/session/end', 'GET'],
    ]
    for (const origin of ['https://evil.example', 'null', undefined]) {
      for (const [path, method, more] of requests) {
        const headers = { ...(origin !== undefined && { origin }), ...more }
        const body = method === 'POST' ? { body: 'grant_type=authorization_code' } : {}
        assert.deepEqual(cors(await browser.request(path, { method, headers, ...body })), [], path)

        const requested = {
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization',
        }
        const preflight = await browser.request(path, {
          method: 'OPTIONS',
          headers: { ...headers, ...requested },
        })
        assert.ok(preflight.status === 405 || preflight.status === 404, `${path} ${preflight.status}`)
        assert.deepEqual(cors(preflight), [], path)
      }
    }
    assert.equal((await browser.request('/idp/jwks')).status, 200)
  })

  it('refuses other spellings of its paths, and shows no error page of the library (D02)', async () => {
    for (const path of [
      '/IDP/auth',
      '/idp//auth',
      '/idp/auth%2f',
      '/idp/auth;x',
      '/idp/%61uth',
      '/idp/Auth',
    ]) {
      const answer = await browser.request(path)
      assert.equal(answer.status, 404, path)
      assert.doesNotMatch(await answer.text(), /console</)
    }
    const odd = await browser.request('/idp/auth?client_id=%00&state=%00', {
      headers: { accept: 'text/html' },
    })
    assert.equal(odd.status, 400)
    assert.match(await odd.text(), /Sign-in failed/)
  })
})

describe('limits of the embedded identity provider', () => {
  let server: AuthServer
  before(async () => {
    server = await startAuthServer({ trustedProxyHops: 1 })
  })
  after(() => server.stop())

  const query = new URLSearchParams({
    client_id: 'bundle-console',
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  const request = (address: string, { method = 'GET', more = '' } = {}) => {
    const redirect = encodeURIComponent(`${server.origin}/auth/callback`)
    return new TestBrowser(server.origin).request(
      `/idp/auth?${query.toString()}&redirect_uri=${redirect}${more}`,
      { method, headers: { 'x-forwarded-for': address } },
    )
  }
  const records = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*)::int from bff.idp_record`.execute(
      server.database.db,
    )
    return rows[0]?.count ?? 0
  }

  it('limit the sign-ins that one address starts, and no other address', async () => {
    // one more is allowed each second, so a slow machine needs more than 301
    const refused: Response[] = []
    for (let count = 0; count < 360; count++) {
      const answer = await request('192.0.2.1')
      if (answer.status === 429) refused.push(answer)
    }
    const [answer] = refused
    assert.ok(answer !== undefined, 'none is refused')
    assert.equal(await records(), 360 - refused.length)
    assert.equal(answer.headers.get('retry-after'), '60')
    assert.match(await answer.text(), /Too many sign-in attempts/)
    assert.equal((await request('192.0.2.2')).status, 303)
  })

  it('store nothing for methods and addresses that no sign-in uses', async () => {
    const before = await records()
    assert.equal((await request('192.0.2.3', { more: `&state=${'x'.repeat(2_000)}` })).status, 414)
    assert.equal((await request('192.0.2.3', { method: 'HEAD' })).status, 405)
    assert.equal((await request('192.0.2.3', { method: 'POST' })).status, 405)
    assert.equal(await records(), before)
  })

  it('limit all other requests of one address', async () => {
    const browser = new TestBrowser(server.origin)
    let refused = 0
    for (let count = 0; count < 40; count++) {
      const answers = await Promise.all(
        Array.from({ length: 25 }, () =>
          browser.request('/idp/interaction/invented', { headers: { 'x-forwarded-for': '192.0.2.4' } }),
        ),
      )
      refused += answers.filter(({ status }) => status === 429).length
    }
    assert.ok(refused > 0)
  })
})
