import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
} from 'jose'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'

/** The token is missing, was not issued by the runtime, or is for another plugin or call. Leads to status 401. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

/** The platform's keys could not be fetched, so the token could not be verified. Leads to status 503. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** A fixed key set, or the address of the platform, from which the set is fetched and cached. */
export type Keys = JSONWebKeySet | { platformApiBase: string }

export interface TokenCheck {
  audience: string
  /** The value that the platform signs as `iss`. */
  issuer: string
  keys: Keys
  requiredClaims: string[]
}

/** Verifies an `Authorization` header and returns the claims. Throws TokenRefused or KeysUnavailable. */
export type VerifyToken = (authorization: string | null) => Promise<JWTPayload>

const CLOCK_TOLERANCE_SECONDS = 30
/** An unknown key leads to a fetch of the key set at most so often: a new key works soon, and strangers cause few fetches. */
const KEYS_PAUSE_MS = 2_000

/** Verifies the tokens of lifecycle calls of a plugin. */
export const tokenVerifier = (check: { pluginId: string; issuer: string; keys: Keys }): VerifyToken =>
  bearerVerifier({
    audience: check.pluginId,
    issuer: check.issuer,
    keys: check.keys,
    requiredClaims: ['sub', 'iat', 'exp', 'stage', 'executionSequence'],
  })

/** Verifies tokens that the platform signed; the messages of its errors reveal nothing about the token. */
export function bearerVerifier({ audience, issuer, keys, requiredClaims }: TokenCheck): VerifyToken {
  const keySet =
    'platformApiBase' in keys && typeof keys.platformApiBase === 'string'
      ? createRemoteJWKSet(jwksAddress(keys.platformApiBase), { cooldownDuration: KEYS_PAUSE_MS })
      : createLocalJWKSet(keys as JSONWebKeySet)
  const explained = new Set<string>()
  function explain(mistake: string): void {
    if (explained.has(mistake)) return
    explained.add(mistake)
    // printError would remove the addresses
    console.error(mistake)
  }
  return async (authorization) => {
    const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw new TokenRefused('A bearer token of the platform is required')
    try {
      const { payload } = await jwtVerify(token, keySet, {
        algorithms: ['EdDSA', 'Ed25519'],
        issuer,
        audience,
        requiredClaims,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      })
      return payload
    } catch (cause) {
      const mistake = mistakeInSettings(cause, { issuer, audience })
      if (mistake !== null) explain(mistake)
      if (isAboutToken(cause)) throw new TokenRefused('The token is not accepted', { cause })
      if ('platformApiBase' in keys && typeof keys.platformApiBase === 'string')
        explain(
          `The keys of the platform could not be fetched from ${jwksAddress(keys.platformApiBase).href}: ${reasonOf(cause)}. Check platformApiBase, and whether the platform runs.`,
        )
      throw new KeysUnavailable('The keys of the platform could not be fetched', { cause })
    }
  }
}

/** What the network says, which is in the cause of an error of fetch. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (inner instanceof Error && 'code' in inner && typeof inner.code === 'string') return inner.code
  return inner instanceof Error ? inner.message.slice(0, 200) : 'unknown error'
}

/** The keys to verify with: the given ones, or those of the platform. */
export function keysOf(keys: JSONWebKeySet | undefined, platformApiBase: string | undefined): Keys {
  if (keys !== undefined) return keys
  if (platformApiBase === undefined) throw new Error('Set platformApiBase: the keys are fetched from there')
  return { platformApiBase }
}

/** `/bundle-runtime/api/.well-known/jwks.json` below the platform's address, with or without a trailing slash. */
export function jwksAddress(platformApiBase: string): URL {
  // `localhost:8081` would be an address with the scheme `localhost`
  if (!/^https?:\/\//i.test(platformApiBase) || !URL.canParse(platformApiBase))
    throw new Error(
      `platformApiBase "${platformApiBase}" is not an address. Give the http or https address of the platform, such as http://127.0.0.1:8081.`,
    )
  return new URL(`${platformApiBase.replace(/\/+$/, '')}/bundle-runtime/api/.well-known/jwks.json`)
}

/**
 * Which setting refuses a token that the platform signed, or null. The caller learns only that the token is refused, so
 * without this line an author would see status 401 and no reason. Neither value is secret.
 */
function mistakeInSettings(
  error: unknown,
  { issuer, audience }: { issuer: string; audience: string },
): string | null {
  // thrown after the signature has been verified
  if (!(error instanceof errors.JWTClaimValidationFailed)) return null
  const { iss, aud } = error.payload
  if (error.claim === 'iss' && typeof iss === 'string')
    return `A token is refused: the platform that signed it calls itself ${JSON.stringify(iss)}, but issuer is ${JSON.stringify(issuer)}. Set issuer, which defaults to platformApiBase, to ${JSON.stringify(iss)}.`
  if (error.claim === 'aud' && typeof aud === 'string')
    return `A token is refused: it is for ${JSON.stringify(aud)}, but this program is ${JSON.stringify(audience)}. Use the ID under which it is registered.`
  return null
}

// jose's own errors are about the token, except for these: a key set that is slow, broken or not JSON. All other errors
// come from the network.
function isAboutToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC'
}

/** Throws TokenRefused unless the token was issued for this call. */
export function matchToken(claims: JWTPayload, request: LifecycleRequest): void {
  const isForThisCall =
    claims.sub === request.operation.operationId &&
    claims['stage'] === request.stage &&
    claims['executionSequence'] === request.executionSequence
  if (!isForThisCall) throw new TokenRefused('The token is for another call')
}
