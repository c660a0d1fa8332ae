import type { LogFields } from '#http-kit/log.ts'
import { whyNoResponse } from '#http-kit/outbound-result.ts'
import { plainText } from '../plain-text.ts'

const MAX_TEXT = 200

/**
 * What the provider said in an error of openid-client, as fields of a log line: `providerError` and
 * `providerDescription` (cleaned and cut off, because nobody here wrote them) and `providerStatus`; or, if it gave no
 * response, the `reason`.
 */
export function providerReason(error: unknown): LogFields {
  if (typeof error !== 'object' || error === null) return {}
  const { error: code, error_description: description, status } = error as Record<string, unknown>
  const cause = error instanceof Error ? error.cause : undefined
  const httpStatus =
    typeof status === 'number' ? status : cause instanceof Response ? cause.status : undefined
  const reason = whyNoResponse(error)
  return {
    ...(reason !== null && { reason }),
    ...(httpStatus !== undefined && { providerStatus: httpStatus }),
    ...(typeof code === 'string' && { providerError: plainText(code, MAX_TEXT) }),
    ...(typeof description === 'string' && { providerDescription: plainText(description, MAX_TEXT) }),
  }
}
