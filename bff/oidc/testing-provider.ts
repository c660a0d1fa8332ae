import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { CryptoKey, JWK, JWTPayload } from 'jose'

/** An external identity provider that can be configured to answer wrongly. */
export class ExternalProvider {
  issuer = ''
  claims: JWTPayload = {}
  userinfo: Record<string, unknown> | null = null
  /** Changes the ID token before it is returned. */
  sign: (claims: JWTPayload) => Promise<string> = (claims) => this.signWith(this.key, claims)
  publicJwk: JWK = {}
  lastTokenRequest = new URLSearchParams()
  /** The Authorization header of the last token request. */
  lastAuthorization = ''
  /** Status and body of the next responses of the token endpoint instead of tokens. */
  tokenError: { status: number; body: Record<string, unknown> } | null = null
  /** The refresh token that it returns, and the only one that it accepts. */
  refreshToken: string | null = null
  /** Whether a refresh returns an ID token. */
  refreshesIdToken = true
  /** How many refreshes were asked for. */
  refreshes = 0
  /** How often its keys were read. */
  keysRead = 0
  /** The tokens that were revoked. */
  revoked: string[] = []
  /** Changes its metadata; undefined removes an entry. */
  metadata: Record<string, unknown> = {}
  /** The queries of the browsers that came to sign in, and to sign out. */
  signIns: URLSearchParams[] = []
  signOuts: URLSearchParams[] = []
  private key!: CryptoKey
  private server!: Server
  private nonce = ''

  async start(port = 0): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    this.key = privateKey
    this.publicJwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
    this.server = createServer((req, res) => {
      const returnTo = this.browserReturnsTo(req.url ?? '')
      if (returnTo !== null) {
        res.writeHead(303, { location: returnTo }).end()
        return
      }
      void this.answer(req).then((json) => {
        const { tokenError } = this
        const refusal = tokenError !== null && json === tokenError.body ? tokenError.status : 200
        return res
          .writeHead(json === null ? 404 : refusal, { 'content-type': 'application/json' })
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
          revocation_endpoint: `${issuer}/revoke`,
          end_session_endpoint: `${issuer}/logout`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
          ...this.metadata,
        }
      case '/jwks':
        this.keysRead++
        return { keys: [this.publicJwk] }
      case '/userinfo':
        return this.userinfo
      case '/token': {
        this.lastTokenRequest = new URLSearchParams(body)
        this.lastAuthorization = req.headers.authorization ?? ''
        if (this.tokenError !== null) return this.tokenError.body
        const isRefresh = this.lastTokenRequest.get('grant_type') === 'refresh_token'
        if (isRefresh) this.refreshes++
        const now = Math.floor(Date.now() / 1000)
        const claims = {
          iss: issuer,
          aud: 'console',
          iat: now,
          exp: now + 60,
          ...(!isRefresh && { nonce: this.nonce }),
          ...this.claims,
        }
        return {
          access_token: 'access-canary',
          token_type: 'Bearer',
          ...((!isRefresh || this.refreshesIdToken) && { id_token: await this.sign(claims) }),
          ...(this.refreshToken !== null && { refresh_token: this.refreshToken }),
        }
      }
      case '/revoke':
        this.revoked.push(new URLSearchParams(body).get('token') ?? '')
        return {}
      default:
        return null
    }
  }

  /** Signs a logout token; `changes` may remove claims with undefined. */
  logoutToken(
    changes: Record<string, unknown> = {},
    header: { typ?: string; key?: CryptoKey; kid?: string } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: this.issuer,
      aud: 'console',
      iat: now,
      exp: now + 120,
      jti: randomUUID(),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      ...changes,
    }
    const { typ = 'logout+jwt', key = this.key, kid = 'k1' } = header
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ }).sign(key)
  }

  /** Where a browser that comes to sign in or out is sent back to at once; null for other requests. */
  private browserReturnsTo(path: string): string | null {
    const { pathname, searchParams } = new URL(path, this.issuer)
    if (pathname === '/authorize') {
      this.signIns.push(searchParams)
      const { origin } = new URL(searchParams.get('redirect_uri') ?? '')
      return origin + this.callback(new URL(path, this.issuer))
    }
    if (pathname !== '/logout') return null
    this.signOuts.push(searchParams)
    return searchParams.get('post_logout_redirect_uri')
  }

  /** The callback address with which the browser returns from `url`. */
  callback(url: URL): string {
    this.nonce = url.searchParams.get('nonce') ?? ''
    const state = encodeURIComponent(url.searchParams.get('state') ?? '')
    return `/auth/callback?code=c1&state=${state}&iss=${encodeURIComponent(this.issuer)}`
  }
}
