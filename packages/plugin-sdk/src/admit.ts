import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import { sdkFailure, type PluginFailure } from './result.ts'
import type { Mark, RememberedCall } from './store.ts'

/** Run the handler, return a remembered response, or refuse the call. */
export type Admission =
  | { kind: 'run' }
  | { kind: 'answer'; answer: string }
  | { kind: 'refuse'; failure: PluginFailure }

export interface Arrival {
  request: LifecycleRequest
  fingerprint: string
  /** The remembered call with this operationId and stage. */
  call: RememberedCall | null
  /** The remembered mark of the installation. */
  mark: Mark | null
  /** Milliseconds since 1970. */
  now: number
  isOwnerGone: (owner: string) => boolean
}

/**
 * Decides how to handle an arriving call. The bytes are compared first, so that a remembered response is never returned
 * for a different request. A remembered response precedes the fence: returning it again changes nothing. Other calls must
 * pass the fence, and must not be running already.
 */
export function admit({ request, fingerprint, call, mark, now, isOwnerGone }: Arrival): Admission {
  if (call !== null && call.fingerprint !== fingerprint) return refuse(otherBytes())
  if (call !== null && call.answer !== null) return { kind: 'answer', answer: call.answer }
  const fenced = fence(request, mark)
  if (fenced !== null) return refuse(fenced)
  const isRunning =
    call !== null &&
    call.owner !== null &&
    call.leaseUntil !== null &&
    call.leaseUntil > now &&
    !isOwnerGone(call.owner)
  return isRunning ? refuse(inProgress()) : { kind: 'run' }
}

/** The failure if a later or detached operation of the installation excludes this call; null if the call may run. */
export function fence(
  { executionSequence, operation }: LifecycleRequest,
  mark: Mark | null,
): PluginFailure | null {
  if (mark === null) return null
  if (executionSequence < mark.executionSequence)
    return sdkFailure(
      'EXECUTION_SEQUENCE_STALE',
      'A later operation of this installation has already arrived',
    )
  if (executionSequence === mark.executionSequence)
    return operation.operationId === mark.operationId
      ? null
      : sdkFailure('EXECUTION_SEQUENCE_STALE', 'Another operation has this executionSequence')
  const needsInstallation = operation.operationType === 'UPGRADE' || operation.operationType === 'CONFIGURE'
  return mark.isDetached && needsInstallation
    ? sdkFailure('INSTALLATION_NOT_ACTIVE', 'This installation was detached')
    : null
}

const refuse = (failure: PluginFailure): Admission => ({ kind: 'refuse', failure })

/** The failure of a call whose bytes differ from an earlier call with the same operationId and stage. */
export const otherBytes = (): PluginFailure =>
  sdkFailure(
    'REQUEST_INVALID',
    'A different request with this operationId and stage has already arrived: a retry must have the same bytes',
  )

/** The failure of a call that is already running, in this or another process. */
export const inProgress = (): PluginFailure =>
  sdkFailure('CALL_IN_PROGRESS', 'The same call is still running; retry in a moment', true)
