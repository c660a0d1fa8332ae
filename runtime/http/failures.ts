import { NO_SPACE_MESSAGE, whyUnavailable } from '#database/unreachable.ts'
import { failureEnvelope } from '#contract/protocol/envelope.ts'
import type { FailureData, MessageParameters } from '#contract/protocol/envelope.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { MESSAGE_MAX } from '#contract/protocol/limits.ts'
import { hideInDetail, hideInMessage, mapTexts } from '#contract/protocol/protected-name.ts'
import { TransportError } from '#http-kit/problem.ts'
import type { DomainError } from '../engine/domain-error.ts'
import type { SpaceWatch } from './space-watch.ts'

/** Logical names of the two services that answer here. */
export type ServiceName = 'bundle-runtime' | 'module-plugin-manager'

/** More would only make an answer that nobody reads to its end. */
const MAX_DETAILS = 200

/** A refusal as the failure envelope; whatever built its texts, they keep the contract's limits. */
export function refusalEnvelope(refusal: DomainError, service: ServiceName): JsonObject {
  const details = refusal.details.slice(0, MAX_DETAILS).map((detail) => {
    return cutTexts(hideInDetail(detail))
  })
  const { message, parameters } = refusal
  const failure: FailureData = {
    ...cutTexts(hideInMessage({ message, ...(parameters !== undefined && { parameters }) })),
    retryable: refusal.retryable,
    errorPath: [service],
    ...(details.length > 0 && { details }),
  }
  // texts, flags and lists of them, and nothing that is set to undefined
  return failureEnvelope(refusal.code, failure) as JsonObject
}

function cutTexts<Failure extends { message: string; parameters?: MessageParameters | undefined }>(
  failure: Failure,
): Failure {
  const { message, parameters } = failure
  return {
    ...failure,
    message: cut(message),
    ...(parameters !== undefined && { parameters: mapTexts(parameters, cut) }),
  }
}

function cut(text: string): string {
  const characters = [...text]
  return characters.length <= MESSAGE_MAX ? text : `${characters.slice(0, MESSAGE_MAX - 1).join('')}…`
}

/**
 * What the transport says of an error that nobody refused on purpose: 503 where the database could not serve it now,
 * with what to do about it where there is something to do, and 500 for all else. Neither repeats the cause.
 */
export function toTransportError(error: unknown, space: Pick<SpaceWatch, 'hasSpace'>): TransportError {
  if (error instanceof TransportError) return error
  const unavailable = whyUnavailable(error)
  if (unavailable === null) return new TransportError('INTERNAL_ERROR')
  // a server that finds no space for its log stops, and is unreachable then
  const message = space.hasSpace() ? unavailable.message : NO_SPACE_MESSAGE
  return new TransportError('SERVICE_UNAVAILABLE', message, { 'retry-after': '1' })
}
