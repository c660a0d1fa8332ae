import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Signer } from '../deps/signer.ts'

export const LIFECYCLE_TOKEN_SECONDS = 300

/**
 * The token that proves to a plugin that the call comes from the platform and is meant for it
 * (docs/protocol.md#lifecycle-call).
 */
export function signLifecycleToken(
  signer: Signer,
  call: { pluginId: string; operationId: string; stage: Stage; executionSequence: number },
): Promise<string> {
  const { pluginId, operationId, stage, executionSequence } = call
  return signer.sign({ sub: operationId, stage, executionSequence }, pluginId, LIFECYCLE_TOKEN_SECONDS)
}
