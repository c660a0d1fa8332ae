import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'

/** Issues the platform's own tokens, JWTs signed with EdDSA, and knows them again. */
export interface Signer {
  /** The platform's name in `iss`. */
  issuer: string
  /** A token with these claims for one audience; `ttlSeconds` from now on. */
  sign(claims: Record<string, JsonValue>, audience: string, ttlSeconds: number): Promise<string>
  /** Whether this text, and nothing around it, is a token that the platform issued, expired or not. */
  isPlatformToken(text: string): boolean
}

export const LIFECYCLE_TOKEN_SECONDS = 300

/** What a plugin is shown to know that the call comes from the platform and is meant for it (decisions, section 5). */
export function signLifecycleToken(
  signer: Signer,
  call: { pluginId: string; operationId: string; stage: Stage; executionSequence: number },
): Promise<string> {
  const { pluginId, operationId, stage, executionSequence } = call
  return signer.sign({ sub: operationId, stage, executionSequence }, pluginId, LIFECYCLE_TOKEN_SECONDS)
}
