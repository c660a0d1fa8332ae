import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { sdkFailure, type PluginFailure } from './result.ts'
import type { Mark, RememberedCall } from './store.ts'

export type Admission =
  | { kind: 'run' }
  | { kind: 'answer'; answer: string }
  | { kind: 'refuse'; failure: PluginFailure }

export interface Arrival {
  request: LifecycleRequest
  fingerprint: string
  /** What is remembered of this operationId and stage. */
  call: RememberedCall | null
  /** What is remembered of the installation. */
  mark: Mark | null
  /** Milliseconds since 1970. */
  now: number
  isOwnerGone: (owner: string) => boolean
}

/**
 * What to do with a call that arrives. The bytes are compared first, so that a remembered answer never goes to another
 * question. A remembered answer comes before the fence: giving it once more changes nothing. What is not remembered must
 * pass the fence, and must not run already.
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

/** Why the installation's mark forbids this operation, or null. */
export function fence(
  { executionSequence, operation }: LifecycleRequest,
  mark: Mark | null,
): PluginFailure | null {
  if (mark === null) return null
  if (executionSequence < mark.executionSequence)
    return sdkFailure('EXECUTION_SEQUENCE_STALE', 'A later operation of this installation has arrived before')
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

/** Other bytes than before, under the same operationId and stage. */
export const otherBytes = (): PluginFailure =>
  sdkFailure(
    'REQUEST_INVALID',
    'Another request came before with this operationId and stage: a repeat must have the same bytes',
  )

/** The same call runs in another process, or that process has just taken this one over. */
export const inProgress = (): PluginFailure =>
  sdkFailure('CALL_IN_PROGRESS', 'The same call is still running; ask again in a moment', true)
