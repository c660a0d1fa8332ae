import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { CryptoKey, JWK, JWTPayload } from 'jose'
import { freePort } from '#database/free-port.ts'
import { EVERYWHERE, startAuthServer, TestBrowser } from '../testing.ts'
import type { AuthServer } from '../testing.ts'
import { personOf } from './client.ts'

/** An external identity provider that can be configured to answer wrongly. */
class ExternalProvider {
  issuer = ''
  claims: JWTPayload = {}
  userinfo: Record<string, unknown> | null = null
  /** Changes the ID token before it is returned. */
  sign: (claims: JWTPayload) => Promise<string> = (claims) => this.signWith(this.key, claims)
  publicJwk: JWK = {}
  lastTokenRequest = new URLSearchParams()
  private key!: CryptoKey
  private server!: Server
  private nonce = ''

  async start(port = 0): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    this.key = privateKey
    this.publicJwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
    this.server = createServer((req, res) => {
      void this.answer(req).then((json) => {
        return res
          .writeHead(json === null ? 404 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(json))
      })
    })
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve))
    this.issuer = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  stop(): Promise<unknown> {
    this.server.closeAllConnections()
    return new Promise((resolve) => this.server.close(resolve))
  }

  signWith(
    key: CryptoKey | Uint8Array,
    claims: JWTPayload,
    header = { alg: 'RS256', kid: 'k1' },
  ): Promise<string> {
    return new SignJWT(claims).setProtectedHeader(header).sign(key)
  }

  private async answer(req: IncomingMessage): Promise<unknown> {
    const { issuer } = this
    let body = ''
    for await (const chunk of req) body += String(chunk)
    switch (req.url) {
      case '/.well-known/openid-configuration':
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          userinfo_endpoint: `${issuer}/userinfo`,
          end_session_endpoint: `${issuer}/logout`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
        }
      case '/jwks':
        return { keys: [this.publicJwk] }
      case '/userinfo':
        return this.userinfo
      case '/token': {
        this.lastTokenRequest = new URLSearchParams(body)
        const now = Math.floor(Date.now() / 1000)
        const claims = {
          iss: issuer,
          aud: 'console',
          iat: now,
          exp: now + 60,
          nonce: this.nonce,
          ...this.claims,
        }
        return { access_token: 'access-canary', token_type: 'Bearer', id_token: await this.sign(claims) }
      }
      default:
        return null
    }
  }

  /** The callback address with which the browser returns from `url`. */
  callback(url: URL): string {
    this.nonce = url.searchParams.get('nonce') ?? ''
    const state = encodeURIComponent(url.searchParams.get('state') ?? '')
    return `/auth/callback?code=c1&state=${state}&iss=${encodeURIComponent(this.issuer)}`
  }
}

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
      const answer = await person.request(provider.callback(url))
      if (person.session === null) for (const [key, cookie] of held) person.cookies.set(key, cookie)
      return answer
    }
    for (const authTime of [undefined, now - 400, `${now}`, now + 3_600, 1e18]) {
      const wrong = authTime === undefined ? ada : { ...ada, auth_time: authTime }
      assert.equal((await confirmed(wrong)).status, 502)
    }
    assert.match(server.log(), /auth_time is missing, too old or in the future/)
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

  it('rejects ID tokens of other issuers, audiences and times', async () => {
    const good = { sub: 'u-1', realm_access: { roles: ['admin'] } }
    const now = Math.floor(Date.now() / 1000)
    const foreignKey = (await generateKeyPair('RS256')).privateKey
    const own = provider.sign
    const cases: [string, JWTPayload, typeof own][] = [
      ['issuer', { ...good, iss: 'https://evil.example' }, own],
      ['audience', { ...good, aud: 'another' }, own],
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
    const answer = await ada.api('/auth/logout', { method: 'POST' })
    const { redirectTo } = (await answer.json()) as { redirectTo: string }
    const url = new URL(redirectTo)
    assert.equal(url.origin + url.pathname, `${provider.issuer}/logout`)
    assert.equal(url.searchParams.get('post_logout_redirect_uri'), 'https://console.example.org')
    assert.equal((await ada.api('/api/session')).status, 401)
  })

  it('stores no token (A02, A10)', () => {
    assert.ok(!/access-canary|client-secret-canary|eyJ[\w-]+\./.test(server.log()))
  })

  it('reports that the provider cannot be reached, and recovers automatically (F10)', async () => {
    const port = await freePort()
    const other = await startAuthServer({
      externalIdp: { issuer: `http://127.0.0.1:${port}`, clientId: 'console', clientSecret: 'client-secret' },
    })
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

describe('personOf', () => {
  const claims = { iss: 'https://id', sub: 'u-1', name: 'Ada', roles: ['viewer'] }
  const options = { rolesClaim: 'roles', now: new Date('2026-11-22T08:00:00Z') }

  it('takes the first name in the claims, without control characters', () => {
    const nameOf = (more: Record<string, unknown>) => personOf({ ...claims, ...more }, options)?.name
    assert.equal(nameOf({}), 'Ada')
    assert.equal(nameOf({ name: '', preferred_username: 'ada' }), 'ada')
    assert.equal(nameOf({ name: 7, email: 'ada@example.org' }), 'ada@example.org')
    assert.equal(nameOf({ name: undefined }), 'u-1')
    assert.equal(nameOf({ name: 'A\u202Eda\u0000\n' }), 'Ada')
    assert.equal(nameOf({ name: 'x'.repeat(1000) })?.length, 200)
  })

  it('accepts nobody without issuer and subject (F03)', () => {
    for (const wrong of [
      { sub: '' },
      { sub: 7 },
      { iss: undefined },
      { sub: 'x'.repeat(256) },
      { sub: 'a\u0000' },
    ]) {
      assert.equal(personOf({ ...claims, ...wrong }, options), null)
    }
  })

  it('judges the time of the sign-in by the given clock, not by that of this machine', () => {
    const second = options.now.getTime() / 1000
    const timeOf = (auth_time: number, lateSeconds = 0) =>
      personOf({ ...claims, auth_time }, { ...options, lateSeconds })?.authTime
    assert.equal(timeOf(second - 10), second - 10)
    assert.equal(timeOf(second + 3_600), null)
    // a provider whose clock is an hour ahead, or behind
    assert.equal(timeOf(second + 3_600, -3_600), second)
    assert.equal(timeOf(second - 3_610, 3_600), second - 10)
  })

  it('grants no role for an unknown entry (F03)', () => {
    const rolesOf = (roles: unknown) => personOf({ ...claims, roles }, options)?.roles
    assert.deepEqual(rolesOf('admin'), [EVERYWHERE('admin')])
    const prod = { environmentKey: 'prod' }
    assert.deepEqual(rolesOf(['boss', { role: 'viewer', scope: prod }]), [{ role: 'viewer', scope: prod }])
    for (const odd of [
      undefined,
      null,
      7,
      true,
      {},
      { admin: true },
      [['admin']],
      'Admin',
      ['__proto__', 'constructor'],
      [{ role: 'admin', scope: 'prod' }],
      [{ role: 'admin', scope: {} }],
      [{ role: 'admin', scope: { environment: 'prod' } }],
      [{ role: 'admin', scopes: [prod] }],
      [{ role: 'admin', scope: { ...prod, applicationRuntimeId: 'a' } }],
      [{ role: 'admin', scope: { ...prod, applicationRuntimeId: 'a', workspaceId: '7' } }],
      [{ role: 'admin', scope: [prod] }],
    ]) {
      assert.deepEqual(rolesOf(odd), [], JSON.stringify(odd))
    }
    assert.equal(rolesOf(Array.from({ length: 10_000 }, () => 'viewer'))?.length, 500)
  })
})
