import type { JsonValue } from '#contract/json-schema/json.ts'

/** Issues the platform's tokens, JWTs signed with EdDSA, and recognizes them. */
export interface Signer {
  /** The `iss` of the platform's tokens. */
  issuer: string
  /** Signs a token with these claims for one audience; it expires after `ttlSeconds`. */
  sign(claims: Record<string, JsonValue>, audience: string, ttlSeconds: number): Promise<string>
  /** Whether this second part of a JWT is that of a token that the platform issued, expired or not. */
  isPlatformPayload(payload: string): boolean
}
