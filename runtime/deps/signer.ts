import type { JsonValue } from '#contract/json-schema/json.ts'

/** Issues the platform's own tokens, JWTs signed with EdDSA, and knows them again. */
export interface Signer {
  /** The platform's name in `iss`. */
  issuer: string
  /** A token with these claims for one audience; `ttlSeconds` from now on. */
  sign(claims: Record<string, JsonValue>, audience: string, ttlSeconds: number): Promise<string>
  /** Whether this text, and nothing around it, is a token that the platform issued, expired or not. */
  isPlatformToken(text: string): boolean
}
