import { createHmac } from 'node:crypto'
import * as oidc from 'openid-client'
import { isRecentSignIn } from '#contract/endpoint/permission.ts'
import { findClaim, rolesOfClaim } from '../roles.ts'
import type { SignedIn } from '../session/sessions.ts'

/** The registration of the console at the identity provider. */
export interface IdpSettings {
  issuer: string
  clientId: string
  clientSecret: string
  /** The console's origin; the redirect URI is `/auth/callback` on it. */
  publicOrigin: string
  rolesClaim: string
  /**
   * The address at which this process reaches an issuer that it serves itself, such as `http://127.0.0.1:8080`.
   * A function, because the port may be known only later. Null for an external issuer.
   */
  loopback: (() => string) | null
  /** What to add to the clock of this machine to verify tokens, in seconds; default 0. */
  skewSeconds?: () => number
}

/** The secrets of one sign-in. The others are derived from the cookie of its browser, so none has to be stored. */
export interface SignInSecrets {
  state: string
  browser: string
}

/**
 * Whether the provider may sign the person in without asking. If the sign-in confirms a session it may not, and it must
 * say when it authenticated the person, because of `max_age`.
 */
export type SignInPrompt = { kind: 'none' } | { kind: 'login' } | { kind: 'confirm'; maxAgeSeconds: number }

export interface IdpClient {
  /** The address to redirect the browser to. Throws if the provider cannot be reached. */
  authorizationUrl(secrets: SignInSecrets, options: { prompt: SignInPrompt }): Promise<URL>
  /** Redeems the code in the callback's address. Throws if any check fails. */
  redeem(callback: URL, secrets: SignInSecrets): Promise<Record<string, unknown>>
  /** The address that ends the provider's own session, or null if it has none. */
  endSessionUrl(): Promise<URL | null>
}

const TIMEOUT_SECONDS = 10
const MAX_SKEW_CHANGE_SECONDS = 1
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Plain http is allowed for the embedded provider, which is reached over loopback, and on a local machine. */
export function mayBePlainHttp(issuer: URL): boolean {
  return LOOPBACK_HOSTS.has(issuer.hostname)
}

/** The same flow for every provider: authorization code, PKCE S256, state, nonce, `iss`. */
export function createIdpClient(settings: IdpSettings): IdpClient {
  const { skewSeconds = () => 0 } = settings
  let discovered: Promise<oidc.Configuration> | null = null
  let skew = 0
  // lazily, at the first sign-in: the embedded provider starts with this server
  const configuration = (): Promise<oidc.Configuration> => {
    const now = skewSeconds()
    if (Math.abs(now - skew) > MAX_SKEW_CHANGE_SECONDS) discovered = null
    if (discovered === null) skew = now
    discovered ??= discover(settings, skew).catch((error: unknown) => {
      discovered = null
      throw error
    })
    return discovered
  }
  return {
    async authorizationUrl(secrets, { prompt }) {
      return oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: `${settings.publicOrigin}/auth/callback`,
        scope: 'openid profile',
        state: secrets.state,
        nonce: derived(secrets, 'nonce'),
        code_challenge: await oidc.calculatePKCECodeChallenge(derived(secrets, 'code_verifier')),
        code_challenge_method: 'S256',
        ...(prompt.kind !== 'none' && { prompt: 'login' }),
        ...(prompt.kind === 'confirm' && { max_age: String(prompt.maxAgeSeconds) }),
      })
    },
    async redeem(callback, secrets) {
      const config = await configuration()
      const tokens = await oidc.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier: derived(secrets, 'code_verifier'),
        expectedState: secrets.state,
        expectedNonce: derived(secrets, 'nonce'),
        idTokenExpected: true,
      })
      const claims = tokens.claims() ?? {}
      return { ...(await extraClaims(config, tokens.access_token, claims, settings.rolesClaim)), ...claims }
    },
    async endSessionUrl() {
      const config = await configuration()
      if (config.serverMetadata().end_session_endpoint === undefined) return null
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: settings.publicOrigin })
    },
  }
}

function discover(settings: IdpSettings, skew: number): Promise<oidc.Configuration> {
  const issuer = new URL(settings.issuer)
  const { loopback } = settings
  const metadata = { [oidc.clockSkew]: Math.round(skew) }
  return oidc.discovery(issuer, settings.clientId, metadata, oidc.ClientSecretBasic(settings.clientSecret), {
    timeout: TIMEOUT_SECONDS,
    execute: [
      // by default the signature of a token that comes directly from the provider is not verified
      oidc.enableNonRepudiationChecks,
      ...(loopback !== null || mayBePlainHttp(issuer) ? [oidc.allowInsecureRequests] : []),
    ],
    // fetch follows no redirects here, because openid-client disables them
    ...(loopback !== null && {
      [oidc.customFetch]: (url: string, options: oidc.CustomFetchOptions) => {
        if (!url.startsWith(settings.publicOrigin))
          throw new Error('The embedded provider returned a foreign address')
        return fetch(loopback() + url.slice(settings.publicOrigin.length), options as RequestInit)
      },
    }),
  })
}

function derived({ browser }: SignInSecrets, purpose: 'nonce' | 'code_verifier'): string {
  return createHmac('sha256', browser).update(purpose).digest('base64url')
}

/** Some providers include roles and name only in the userinfo response; claims of the ID token take precedence. */
async function extraClaims(
  config: oidc.Configuration,
  accessToken: string,
  claims: Record<string, unknown>,
  rolesClaim: string,
): Promise<Record<string, unknown>> {
  const hasRoles = findClaim(claims, rolesClaim) !== undefined
  if ((hasRoles && nameIn(claims) !== undefined) || config.serverMetadata().userinfo_endpoint === undefined)
    return {}
  try {
    return await oidc.fetchUserInfo(config, accessToken, String(claims.sub))
  } catch (error) {
    // a name is not worth a sign-in
    if (hasRoles) return {}
    throw error
  }
}

const MAX_NAME = 200
const MAX_SUB = 255

/**
 * The person in verified claims; null if the claims contain no person that can be stored.
 *
 * @param options.lateSeconds how far the clock of the provider is behind `now`.
 */
export function personOf(
  claims: Record<string, unknown>,
  { rolesClaim, now, lateSeconds = 0 }: { rolesClaim: string; now: Date; lateSeconds?: number },
): SignedIn | null {
  const { iss, sub } = claims
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > MAX_SUB) return null
  if (/\p{Cc}/u.test(sub)) return null
  const name = nameIn(claims) ?? (cleanName(sub) || sub)
  const roles = rolesOfClaim(findClaim(claims, rolesClaim))
  return { iss, sub, name, roles, authTime: authTimeIn(claims, { now, lateSeconds }) }
}

/** A time that no clock can be right about says nothing: null, as if the provider had not sent it. */
function authTimeIn(
  { auth_time: said }: Record<string, unknown>,
  { now, lateSeconds }: { now: Date; lateSeconds: number },
): number | null {
  if (typeof said !== 'number' || said <= 0) return null
  const authTime = said + lateSeconds
  return isRecentSignIn(now.getTime() / 1000 - authTime, Infinity) ? authTime : null
}

const nameIn = (claims: Record<string, unknown>): string | undefined =>
  [claims['name'], claims['preferred_username'], claims['email']].map(cleanName).find((text) => text !== '')

/** Removes characters that could reverse a name or break the line in which it is shown. */
function cleanName(name: unknown): string {
  if (typeof name !== 'string') return ''
  return name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, MAX_NAME)
}
