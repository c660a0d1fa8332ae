import { createPublicKey, verify } from 'node:crypto'
import { Unavailable } from './refusal.ts'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'

export type Claims = Record<string, unknown>
export interface Jwk {
  kid: string
  kty: string
  crv: string
  x: string
}

export interface Token {
  header: Claims
  claims: Claims
  /** What was signed. */
  input: Buffer
  signature: string
}

const LEEWAY_SECONDS = 30
const KEYS_PAUSE_MS = 1_000

/** The parts of a plugin that verify tokens; a defect replaces one of them. */
export interface TokenParts {
  readToken(authorization: string | undefined): Token | null
  /** The key of the set for a token; undefined if there is none. */
  chooseKey(keys: readonly Jwk[], token: Token): Jwk | undefined
  /** Whether the key set is fetched: there is no key for the token, and it was not fetched just now. */
  needsKeys(keys: readonly Jwk[], key: Jwk | undefined, fetchedAgoMs: number): boolean
  isSigned(token: Token, key: Jwk): boolean
  /** What must be true of the claims before the body is read. */
  claimChecks: Record<'issuer' | 'audience' | 'issueTime' | 'expiry', (claims: Claims) => boolean>
  /** What must be true of the claims and the request. */
  callChecks: Record<
    'operation' | 'stage' | 'sequence',
    (claims: Claims, request: LifecycleRequest) => boolean
  >
}

export const tokenParts = (platform: string, pluginId: string): TokenParts => ({
  readToken(authorization) {
    const found = /^Bearer ([^.]+)\.([^.]+)\.([^.]*)$/.exec(authorization ?? '')
    if (found === null) return null
    const [, head = '', body = '', signature = ''] = found
    return { header: parse(head), claims: parse(body), input: Buffer.from(`${head}.${body}`), signature }
  },
  chooseKey: (keys, { header }) => keys.find(({ kid }) => kid === header['kid']),
  needsKeys: (_keys, key, fetchedAgoMs) => key === undefined && fetchedAgoMs > KEYS_PAUSE_MS,
  isSigned: ({ header, input, signature }, key) =>
    header['alg'] === 'EdDSA' &&
    verify(
      null,
      input,
      createPublicKey({ key: { ...key }, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    ),
  claimChecks: {
    issuer: ({ iss }) => iss === platform,
    audience: ({ aud }) => aud === pluginId,
    issueTime: ({ iat }) => typeof iat === 'number',
    expiry: ({ exp }) => Number(exp) > Date.now() / 1000 - LEEWAY_SECONDS,
  },
  callChecks: {
    operation: ({ sub }, { operation }) => sub === operation.operationId,
    stage: (claims, { stage }) => claims['stage'] === stage,
    sequence: (claims, { executionSequence }) => claims['executionSequence'] === executionSequence,
  },
})

/** Returns a function that finds the verified claims of a header; null if it is not accepted. */
export function tokenVerifier(platform: string, parts: TokenParts) {
  let keys: Jwk[] = []
  let fetchedAt = -Infinity
  return async (authorization: string | undefined): Promise<Claims | null> => {
    const token = parts.readToken(authorization)
    if (token === null) return null
    let key = parts.chooseKey(keys, token)
    if (parts.needsKeys(keys, key, performance.now() - fetchedAt)) {
      const response = await fetch(`${platform}/bundle-runtime/api/.well-known/jwks.json`)
      if (!response.ok) throw new Unavailable()
      // the key set of the platform
      keys = ((await response.json()) as { keys: Jwk[] }).keys
      fetchedAt = performance.now()
      key = parts.chooseKey(keys, token)
    }
    const isRight = Object.values(parts.claimChecks).every((check) => check(token.claims))
    return key !== undefined && parts.isSigned(token, key) && isRight ? token.claims : null
  }
}

function parse(part: string): Claims {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof json === 'object' && json !== null ? (json as Claims) : {}
  } catch {
    return {}
  }
}
