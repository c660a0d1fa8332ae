import { createHmac } from 'node:crypto'
import * as oidc from 'openid-client'
import { findClaim } from '../roles.ts'
import { nameIn } from './claims.ts'
import { clientAuthOf } from './client-auth.ts'
import type { ClientCredentials } from './client-auth.ts'

/** The registration of the console at the identity provider. */
export interface IdpSettings extends ClientCredentials {
  issuer: string
  clientId: string
  /** The scopes to request; default: `openid profile`. */
  scopes?: string
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
  redeem(callback: URL, secrets: SignInSecrets): Promise<Redeemed>
  /**
   * The address that ends the provider's own session and then returns to {@link SIGNED_OUT_PATH}; null if it has none.
   *
   * @param idToken of the session that ends. Some providers end nothing without it, others ask the person.
   */
  endSessionUrl(idToken: string | null): Promise<URL | null>
  /**
   * Asks the provider about the person of a refresh token. Throws if it does not answer; {@link isRevoked} tells
   * whether it says that the person is no longer signed in.
   */
  refresh(refreshToken: string, sub: string): Promise<Refreshed>
  /** Tells the provider that a refresh token is no longer used, if it takes that. */
  revoke(refreshToken: string): Promise<void>
  /** What verifies the tokens of the provider. */
  verification(): Promise<{ issuer: string; jwksUri: string; algorithms: string[] }>
}

/** What the provider returned for a code. */
export interface Redeemed {
  claims: Record<string, unknown>
  idToken: string | null
  /** Null if the provider gave none. */
  refreshToken: string | null
}

/** What the provider returned for a refresh token. */
export interface Refreshed {
  /** Null if it said nothing about the roles, so that they stay as they are. They may lack `iss`. */
  claims: Record<string, unknown> | null
  /** Null: the previous one remains valid. */
  idToken: string | null
  refreshToken: string | null
}

/** Whether the provider refused the console as its client, whatever the console asked for. */
export function isClientRefused(error: unknown): boolean {
  const isNamed =
    error instanceof oidc.ResponseBodyError && ['invalid_client', 'unauthorized_client'].includes(error.error)
  return isNamed || (error instanceof oidc.WWWAuthenticateChallengeError && error.status === 401)
}

/** Whether the provider refused a refresh token: the person signed out there, or was disabled. */
export function isRevoked(error: unknown): boolean {
  return error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant'
}

/** The page of the console to which the provider returns after a sign-out. */
export const SIGNED_OUT_PATH = '/signed-out'

const DEFAULT_SCOPES = 'openid profile'

const TIMEOUT_SECONDS = 10
const RESPONSE_BYTES_MAX = 1024 * 1024
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
        scope: settings.scopes ?? DEFAULT_SCOPES,
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
      const claims: Record<string, unknown> = tokens.claims() ?? {}
      if (claims['azp'] !== undefined && claims['azp'] !== settings.clientId)
        throw new Error('The ID token was issued to another client: azp is not OIDC_CLIENT_ID')
      const extra = await extraClaims(config, tokens.access_token, claims, settings.rolesClaim)
      return {
        claims: { ...extra, ...claims },
        idToken: tokens.id_token ?? null,
        refreshToken: tokens.refresh_token ?? null,
      }
    },
    async refresh(refreshToken, sub) {
      const config = await configuration()
      const tokens = await oidc.refreshTokenGrant(config, refreshToken)
      const claims = tokens.claims()
      if (claims !== undefined && claims.sub !== sub)
        throw new Error('The refreshed ID token is about another person')
      const { rolesClaim } = settings
      const about = { ...claims, sub }
      const known = { ...(await extraClaims(config, tokens.access_token, about, rolesClaim)), ...about }
      const saysRoles = claims !== undefined || findClaim(known, rolesClaim) !== undefined
      return {
        claims: saysRoles ? known : null,
        idToken: tokens.id_token ?? null,
        refreshToken: tokens.refresh_token ?? null,
      }
    },
    async revoke(refreshToken) {
      const config = await configuration()
      if (config.serverMetadata().revocation_endpoint !== undefined)
        await oidc.tokenRevocation(config, refreshToken)
    },
    async verification() {
      const { issuer, jwks_uri: jwksUri, ...more } = (await configuration()).serverMetadata()
      if (jwksUri === undefined) throw new Error('The identity provider has no jwks_uri')
      const supported = more.id_token_signing_alg_values_supported ?? ['RS256']
      // never a shared secret, and never none
      return { issuer, jwksUri, algorithms: supported.filter((name) => /^(?:RS|PS|ES|Ed)/.test(name)) }
    },
    async endSessionUrl(idToken) {
      const config = await configuration()
      if (config.serverMetadata().end_session_endpoint === undefined) return null
      return oidc.buildEndSessionUrl(config, {
        post_logout_redirect_uri: settings.publicOrigin + SIGNED_OUT_PATH,
        ...(idToken !== null && { id_token_hint: idToken }),
      })
    },
  }
}

async function discover(settings: IdpSettings, skew: number): Promise<oidc.Configuration> {
  const issuer = new URL(settings.issuer)
  const { loopback } = settings
  const metadata = { [oidc.clockSkew]: Math.round(skew) }
  return oidc.discovery(issuer, settings.clientId, metadata, await clientAuthOf(settings), {
    timeout: TIMEOUT_SECONDS,
    execute: [
      // by default the signature of a token that comes directly from the provider is not verified
      oidc.enableNonRepudiationChecks,
      ...(loopback !== null || mayBePlainHttp(issuer) ? [oidc.allowInsecureRequests] : []),
    ],
    [oidc.customFetch]: (url: string, options: oidc.CustomFetchOptions) => {
      if (loopback === null) return fetchLimited(url, options as RequestInit)
      if (!url.startsWith(settings.publicOrigin))
        throw new Error('The embedded provider returned a foreign address')
      return fetchLimited(loopback() + url.slice(settings.publicOrigin.length), options as RequestInit)
    },
  })
}

/**
 * Fetches from a provider. A response that would fill the memory of this program is an error instead. Follows no redirects,
 * because openid-client and jose disable them.
 */
export async function fetchLimited(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes <= RESPONSE_BYTES_MAX) controller.enqueue(chunk)
      else controller.error(new Error('The response of the identity provider is too large'))
    },
  })
  return response.body === null ? response : new Response(response.body.pipeThrough(limit), response)
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
