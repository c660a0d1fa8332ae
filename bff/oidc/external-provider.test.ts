import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { generateKeyPair, jwtVerify } from 'jose'
import type { JWK, JWTPayload } from 'jose'
import { sql } from 'kysely'
import { freePort } from '#database/free-port.ts'
import { until } from '#runtime/testing/stream.ts'
import { startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { ExternalIdp } from '../settings.ts'
import type { AuthServer } from '../testing.ts'
import { ExternalProvider } from './testing-provider.ts'

describe('sign-in with an external identity provider', () => {
  const provider = new ExternalProvider()
  let server: AuthServer
  before(async () => {
    await provider.start()
    const { issuer } = provider
    server = await startAuthServer({
      publicOrigin: 'https://console.example.org',
      externalIdp: { issuer, clientId: 'console', clientSecret: 'client-secret-canary' },
      rolesClaim: 'realm_access.roles',
    })
  })
  after(async () => {
    await server.stop()
    await provider.stop()
  })

  const browser = (): TestBrowser => {
    const made = new TestBrowser(server.origin)
    made.connectTo = server.address
    return made
  }
  const signIn = async (person: TestBrowser): Promise<Response> => {
    const sent = await person.request('/auth/login?returnTo=/installations')
    return person.request(provider.callback(new URL(sent.headers.get('location') ?? '')))
  }

  it('does not serve the embedded identity provider', async () => {
    assert.equal(server.auth.front, null)
    assert.equal(server.auth.issueFirstPasswords, null)
  })

  it('sends PKCE challenge, state and nonce, and redeems with the verifier (F01)', async () => {
    provider.claims = { sub: 'u-1', name: 'Ada', realm_access: { roles: ['admin', 'offline_access'] } }
    const ada = browser()
    const sent = await ada.request('/auth/login')
    const url = new URL(sent.headers.get('location') ?? '')
    assert.equal(url.origin + url.pathname, `${provider.issuer}/authorize`)
    assert.deepEqual([...url.searchParams.keys()].toSorted(), [
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
    ])
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
    assert.equal(url.searchParams.get('redirect_uri'), 'https://console.example.org/auth/callback')
    const back = await ada.request(provider.callback(url))
    assert.equal(back.headers.get('location'), '/')
    assert.match(provider.lastTokenRequest.get('code_verifier') ?? '', /^[\w-]{43}$/)
    assert.equal(provider.lastTokenRequest.get('redirect_uri'), 'https://console.example.org/auth/callback')
  })

  it('confirms a session only with a recent auth_time of the same person (F08)', async () => {
    const now = Math.floor(Date.now() / 1000)
    const ada = { sub: 'u-1', name: 'Ada', realm_access: { roles: ['admin'] } }
    const person = browser()
    provider.claims = ada
    await signIn(person)
    const first = person.session
    const confirmed = async (claims: JWTPayload, withSession = true): Promise<Response> => {
      provider.claims = claims
      const sent = await person.request('/auth/login?confirm=true&returnTo=/operations')
      const url = new URL(sent.headers.get('location') ?? '')
      assert.deepEqual([url.searchParams.get('prompt'), url.searchParams.get('max_age')], ['login', '300'])
      // a browser sends no strict cookie when it comes back from another site
      const held = [...person.cookies].filter(([, { name }]) => name.endsWith('_session'))
      if (!withSession) for (const [key] of held) person.cookies.delete(key)
      const response = await person.request(provider.callback(url))
      if (person.session === null) for (const [key, cookie] of held) person.cookies.set(key, cookie)
      return response
    }
    for (const authTime of [undefined, now - 400, `${now}`, now + 3_600, 1e18]) {
      const wrong = authTime === undefined ? ada : { ...ada, auth_time: authTime }
      assert.equal((await confirmed(wrong)).status, 502)
    }
    for (const problem of ['missing', 'too old', 'in the future'])
      assert.match(server.log(), new RegExp(`"problem":"auth_time is ${problem}"`))
    assert.match(server.log(), /"authTime":"1000000000000000000"/)
    assert.equal((await confirmed({ ...ada, sub: 'u-9', auth_time: now })).status, 403)
    assert.equal(person.session, first)

    const back = await confirmed({ ...ada, auth_time: now }, false)
    assert.equal(back.headers.get('location'), '/operations')
    assert.notEqual(person.session, first)
    assert.equal((await person.api('/api/session')).status, 200)
    const old = browser()
    assert.equal((await old.api('/api/session', { headers: { cookie: first ?? '' } })).status, 401)
  })

  it('sets cookies that only this host can set, over https (A01)', async () => {
    const ada = browser()
    await signIn(ada)
    assert.match(ada.session ?? '', /^__Host-Http-console_session=[\w-]{43}$/)
    for (const { name, path, attributes } of ada.cookies.values()) {
      assert.match(name, /^__Host-Http-/)
      assert.equal(path, '/')
      assert.match(attributes, /HttpOnly; SameSite=(Strict|Lax); Secure/)
    }
    const { headers } = await ada.request('/anything')
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains')
  })

  it('reads roles and name from userinfo if the ID token lacks either', async () => {
    provider.claims = { sub: 'u-2' }
    provider.userinfo = { sub: 'u-2', preferred_username: 'bob', realm_access: { roles: ['operator'] } }
    const bob = browser()
    assert.equal((await signIn(bob)).headers.get('location'), '/installations')
    const session = (await (await bob.api('/api/session')).json()) as { user: unknown; roles: string[] }
    assert.deepEqual([session.user, session.roles], [{ id: 'u-2', name: 'bob' }, ['operator']])

    provider.claims = { sub: 'u-3', realm_access: { roles: ['viewer'] } }
    provider.userinfo = { sub: 'u-3', name: 'Carol' }
    const carol = browser()
    await signIn(carol)
    const named = (await (await carol.api('/api/session')).json()) as { user: unknown; roles: string[] }
    assert.deepEqual([named.user, named.roles], [{ id: 'u-3', name: 'Carol' }, ['viewer']])

    provider.claims = { sub: 'u-2' }
    provider.userinfo = { sub: 'somebody-else', realm_access: { roles: ['admin'] } }
    assert.equal((await signIn(browser())).status, 502)
    provider.userinfo = null
    provider.claims = { sub: 'u-2', realm_access: { roles: ['offline_access'] } }
    assert.equal((await signIn(browser())).status, 403)
  })

  it('rejects ID tokens of other issuers, audiences and times (F02)', async () => {
    const good = { sub: 'u-1', realm_access: { roles: ['admin'] } }
    const now = Math.floor(Date.now() / 1000)
    const foreignKey = (await generateKeyPair('RS256')).privateKey
    const own = provider.sign
    const cases: [string, JWTPayload, typeof own][] = [
      ['issuer', { ...good, iss: 'https://evil.example' }, own],
      ['audience', { ...good, aud: 'another' }, own],
      ['authorized party of one audience', { ...good, azp: 'another' }, own],
      ['issued in the future', { ...good, iat: now + 3_600, exp: now + 7_200 }, own],
      ['authorized party', { ...good, aud: ['console', 'another'], azp: 'another' }, own],
      ['expired', { ...good, iat: now - 600, exp: now - 300 }, own],
      ['nonce', { ...good, nonce: 'forged' }, own],
      ['no nonce', { ...good, nonce: undefined }, own],
      ['no subject', { realm_access: good.realm_access }, own],
      ['foreign key', good, (claims) => provider.signWith(foreignKey, claims)],
      ['unknown key', good, (claims) => provider.signWith(foreignKey, claims, { alg: 'RS256', kid: 'k2' })],
      [
        'public key as HMAC secret',
        good,
        (claims) =>
          provider.signWith(Buffer.from(JSON.stringify(provider.publicJwk)), claims, {
            alg: 'HS256',
            kid: 'k1',
          }),
      ],
      [
        'no signature',
        good,
        async (claims) =>
          [{ alg: 'none' }, claims]
            .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
            .join('.') + '.',
      ],
    ]
    for (const [name, claims, sign] of cases) {
      Object.assign(provider, { claims, sign })
      const ada = browser()
      assert.equal((await signIn(ada)).status, 502, name)
      assert.equal(ada.session, null, name)
    }
    Object.assign(provider, { claims: good, sign: own })
    assert.equal((await signIn(browser())).status, 303)
  })

  it('ends the session and returns where to end the provider’s (A05)', async () => {
    const ada = browser()
    await signIn(ada)
    const response = await ada.api('/auth/logout', { method: 'POST' })
    const { redirectTo } = (await response.json()) as { redirectTo: string }
    const url = new URL(redirectTo)
    assert.equal(url.origin + url.pathname, `${provider.issuer}/logout`)
    assert.equal(url.searchParams.get('post_logout_redirect_uri'), 'https://console.example.org/signed-out')
    const [, hint = ''] = (url.searchParams.get('id_token_hint') ?? '').split('.')
    assert.equal((JSON.parse(Buffer.from(hint, 'base64url').toString()) as JWTPayload).sub, 'u-1')
    assert.equal((await ada.api('/api/session')).status, 401)
  })

  it('stores no token that can be opened without the cookie (A02, A10)', async () => {
    await signIn(browser())
    const { rows } = await sql<{ stored: string }>`
      select sealed_tokens::text || encode(sealed_tokens, 'escape') as stored from bff.session`.execute(
      server.database.db,
    )
    assert.ok(rows.length > 0 && rows.every(({ stored }) => stored.length > 200))
    assert.ok(rows.every(({ stored }) => !/eyJ[\w-]{8}|access-canary/.test(stored)))
    assert.ok(!/access-canary|client-secret-canary|eyJ[\w-]+\./.test(server.log()))
  })

  it('logs what the provider said, cleaned, with the request ID of the page (F07)', async () => {
    const said = { error: 'unauthorized_client', error_description: `no\u202e\n${'x'.repeat(5_000)}` }
    provider.tokenError = { status: 403, body: said }
    const response = await signIn(browser())
    provider.tokenError = null
    assert.equal(response.status, 502)
    const page = await response.text()
    assert.doesNotMatch(page, /unauthorized_client|xxx/)
    const requestId = /Request ID: ([\w-]+)/.exec(page)?.[1] ?? 'no request ID'
    const line =
      server
        .log()
        .split('\n')
        .find((text) => text.includes(requestId)) ?? '{}'
    const { providerError, providerStatus, providerDescription } = JSON.parse(line) as Record<string, unknown>
    assert.deepEqual(
      [providerError, providerStatus, providerDescription],
      ['unauthorized_client', 403, `no${'x'.repeat(198)}`],
    )
  })

  it('refuses a response that would fill its memory (E05)', async () => {
    const claims = { sub: 'u-7', name: 'Ada', realm_access: { roles: ['admin'] } }
    provider.claims = { ...claims, more: 'x'.repeat(1024 * 1024) }
    assert.equal((await signIn(browser())).status, 502)
    provider.claims = { ...claims, more: 'x'.repeat(128 * 1024) }
    assert.equal((await signIn(browser())).status, 303)
    const { publicJwk } = provider
    provider.publicJwk = { ...publicJwk, more: 'x'.repeat(1024 * 1024) } as JWK
    const logOut = async () => {
      const body = new URLSearchParams({ logout_token: await provider.logoutToken({ sub: 'u-7' }) })
      return (await fetch(`${server.address}/auth/backchannel-logout`, { method: 'POST', body })).status
    }
    // not 400, after which a provider would not try again
    assert.equal(await logOut(), 503)
    provider.publicJwk = null as unknown as JWK
    assert.equal(await logOut(), 503)
    provider.publicJwk = publicJwk
    assert.equal(await logOut(), 200)
  })

  it('says once that auth_time is missing, and what the claim of a person without a role contains', async () => {
    provider.claims = { sub: 'u-5', realm_access: { roles: ['sg-console', 'b\u202eoss'] } }
    assert.equal((await signIn(browser())).status, 403)
    provider.claims = { sub: 'u-6', name: 'Eve' }
    provider.userinfo = { sub: 'u-6' }
    assert.equal((await signIn(browser())).status, 403)
    const lines = server
      .log()
      .split('\n')
      .filter((line) => line.includes('a person without a role'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map(({ sub, claim, isPresent, entries, unrecognized }) => [
        sub,
        claim,
        isPresent,
        entries,
        unrecognized,
      ])
    assert.deepEqual(lines.slice(-2), [
      ['u-5', 'realm_access.roles', true, 2, 'sg-console | boss'],
      ['u-6', 'realm_access.roles', false, 0, ''],
    ])
    assert.equal(server.log().split('sends no usable auth_time').length, 2)
  })

  it('authenticates as the settings say (F04)', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { issuer } = provider
    const clientKey = { jwk: privateKey.export({ format: 'jwk' }) as JWK, algorithm: 'ES256' }
    provider.claims = { sub: 'u-1', roles: ['viewer'] }
    const signInWith = async (changes: Partial<ExternalIdp>) => {
      const other = await startAuthServer({
        externalIdp: { issuer, clientId: 'con-sole', clientSecret: 'se-cret', ...changes },
      })
      provider.claims = { ...provider.claims, aud: 'con-sole' }
      const ada = new TestBrowser(other.origin)
      const sent = await ada.request('/auth/login')
      const url = new URL(sent.headers.get('location') ?? '')
      assert.equal((await ada.request(provider.callback(url))).status, 303)
      await other.stop()
      return { scope: url.searchParams.get('scope'), sent: provider.lastTokenRequest }
    }
    const post = await signInWith({ clientAuth: 'client_secret_post', scopes: 'openid groups' })
    assert.deepEqual(
      [post.scope, post.sent.get('client_id'), post.sent.get('client_secret'), provider.lastAuthorization],
      ['openid groups', 'con-sole', 'se-cret', ''],
    )
    const signed = await signInWith({ clientAuth: 'private_key_jwt', clientSecret: null, clientKey })
    const assertion = signed.sent.get('client_assertion') ?? ''
    const { payload } = await jwtVerify(assertion, createPublicKey(privateKey))
    assert.deepEqual([payload.iss, payload.sub], ['con-sole', 'con-sole'])
    assert.equal(signed.sent.get('client_secret'), null)
    await signInWith({})
    assert.match(provider.lastAuthorization, /^Basic /)
  })

  it('accepts a fresh iat for a missing auth_time only if the settings say so, after prompt=login (F08)', async () => {
    const { issuer } = provider
    const other = await startAuthServer({
      externalIdp: { issuer, clientId: 'console', clientSecret: 'client-secret', recentSignInBy: 'iat' },
    })
    const ada = new TestBrowser(other.origin)
    const now = Math.floor(Date.now() / 1000)
    const returns = async (path: string, claims: JWTPayload) => {
      provider.claims = { sub: 'u-1', roles: ['admin'], ...claims }
      const sent = await ada.request(path)
      return (await ada.request(provider.callback(new URL(sent.headers.get('location') ?? '')))).status
    }
    const isRecent = async () => {
      const { rows } = await sql<{
        at: string | null
      }>`select authenticated_at as at from bff.session`.execute(other.database.db)
      return rows.map(({ at }) => at !== null)
    }
    assert.equal(await returns('/auth/login', { auth_time: 0 }), 303)
    assert.deepEqual(await isRecent(), [false])
    assert.doesNotMatch(other.log(), /no usable auth_time/)
    // one that is there and wrong proves that the provider knows better
    assert.equal(await returns('/auth/login?confirm=true', { auth_time: now - 3_000 }), 502)
    assert.equal(await returns('/auth/login?confirm=true', { auth_time: now + 3_000 }), 502)
    assert.equal(await returns('/auth/login?confirm=true', { auth_time: 0, iat: now - 400 }), 502)
    assert.equal(await returns('/auth/login?confirm=true', { auth_time: 0 }), 303)
    assert.deepEqual(await isRecent(), [true])
    await other.stop()
  })

  it('reports that the provider cannot be reached, and recovers automatically (F10)', async () => {
    const port = await freePort()
    const other = await startAuthServer({
      externalIdp: { issuer: `http://127.0.0.1:${port}`, clientId: 'console', clientSecret: 'client-secret' },
    })
    await until(() => other.log().includes('nobody can sign in'))
    assert.match(other.log(), /"reason":"nothing listens there \(ECONNREFUSED\)"/)
    const ada = new TestBrowser(other.origin)
    const failed = await ada.request('/auth/login')
    assert.equal(failed.status, 503)
    assert.match(await failed.text(), /can’t be reached/)
    const late = new ExternalProvider()
    await late.start(port)
    assert.equal((await ada.request('/auth/login')).status, 303)
    await other.stop()
    await late.stop()
  })
})
