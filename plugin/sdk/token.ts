import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
} from 'jose'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'

/** The token is absent, is not the runtime's, or is for another plugin or another call. Answered with status 401. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

/** The platform's keys could not be fetched, so that nothing can be said of the token. Answered with status 503. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

export interface TokenCheck {
  pluginId: string
  /** What the runtime signs as `iss`. */
  issuer: string
  /** A key set of its own, or the address of the platform, where the set is fetched and kept. */
  keys: JSONWebKeySet | { platformApiBase: string }
}

/** Checks the `Authorization` header of a lifecycle call and gives the claims. */
export type VerifyToken = (authorization: string | null) => Promise<JWTPayload>

const CLOCK_TOLERANCE_SECONDS = 30

/** Throws TokenRefused or KeysUnavailable; the messages say nothing of the token. */
export function tokenVerifier({ pluginId, issuer, keys }: TokenCheck): VerifyToken {
  const keySet =
    'platformApiBase' in keys && typeof keys.platformApiBase === 'string'
      ? createRemoteJWKSet(jwksAddress(keys.platformApiBase))
      : createLocalJWKSet(keys as JSONWebKeySet)
  return async (authorization) => {
    const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw new TokenRefused('A bearer token of the runtime is required')
    try {
      const { payload } = await jwtVerify(token, keySet, {
        algorithms: ['EdDSA', 'Ed25519'],
        issuer,
        audience: pluginId,
        requiredClaims: ['sub', 'exp', 'stage', 'executionSequence'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      })
      return payload
    } catch (cause) {
      throw isAboutToken(cause)
        ? new TokenRefused('The token is not accepted', { cause })
        : new KeysUnavailable('The keys of the platform could not be fetched', { cause })
    }
  }
}

/** `/bundle-runtime/api/.well-known/jwks.json` under the platform's address, whether that ends in a slash or not. */
export const jwksAddress = (platformApiBase: string): URL =>
  new URL(`${platformApiBase.replace(/\/+$/, '')}/bundle-runtime/api/.well-known/jwks.json`)

// What jose throws of its own is about the token, but for these: a set that is slow, broken or not JSON. What it does
// not throw itself is the network's.
function isAboutToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC'
}

/** Throws TokenRefused unless the token was issued for this very call. */
export function matchToken(claims: JWTPayload, request: LifecycleRequest): void {
  const isForThisCall =
    claims.sub === request.operation.operationId &&
    claims['stage'] === request.stage &&
    claims['executionSequence'] === request.executionSequence
  if (!isForThisCall) throw new TokenRefused('The token is for another call')
}
