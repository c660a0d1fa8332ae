import { NO_SPACE_MESSAGE, whyUnavailable } from '#database/unreachable.ts'
import { failureEnvelope } from '#contract/protocol/envelope.ts'
import type { FailureData } from '#contract/protocol/envelope.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { mapMessage } from '#contract/protocol/map-message.ts'
import { hideInDetail, hideProtectedName } from '#contract/protocol/protected-name.ts'
import { TransportError } from '#http-kit/problem.ts'
import { atMost } from '../engine/calls/failures.ts'
import type { DomainError } from '../engine/refusals.ts'
import type { SpaceWatch } from './space-watch.ts'

/** Logical names of the two services that answer here. */
export type ServiceName = 'bundle-runtime' | 'module-plugin-manager'

/** Limits the length of an answer with many problems. */
const MAX_DETAILS = 200

/** The failure envelope of a refusal, with its texts cut to the limits of the contract. */
export function refusalEnvelope(refusal: DomainError, service: ServiceName): JsonObject {
  const details = refusal.details
    .slice(0, MAX_DETAILS)
    .map((detail) => mapMessage(hideInDetail(detail), atMost))
  const { message, parameters } = refusal
  const shown = { message, ...(parameters !== undefined && { parameters }) }
  const failure: FailureData = {
    ...mapMessage(shown, (text) => atMost(hideProtectedName(text))),
    retryable: refusal.retryable,
    errorPath: [service],
    ...(details.length > 0 && { details }),
  }
  // contains only strings, flags and lists of them, and no undefined field
  return failureEnvelope(refusal.code, failure) as JsonObject
}

/**
 * The transport error for an unexpected error: 503 if the database cannot serve the request now, with what to do about
 * it if there is something to do; otherwise 500. Neither reveals the cause.
 */
export function toTransportError(error: unknown, space: Pick<SpaceWatch, 'hasSpace'>): TransportError {
  if (error instanceof TransportError) return error
  const unavailable = whyUnavailable(error)
  if (unavailable === null) return new TransportError('INTERNAL_ERROR')
  // a server without space for its log stops, and is then unreachable
  const message = space.hasSpace() ? unavailable.message : NO_SPACE_MESSAGE
  return new TransportError('SERVICE_UNAVAILABLE', message, { 'retry-after': '1' })
}
