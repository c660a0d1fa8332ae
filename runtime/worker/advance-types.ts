import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import type { CompletedAttempt } from '../model/attempt.ts'
import type { Transition } from '../model/transition.ts'
import type { Permits } from './bulkhead.ts'
import type { KnownRegistrations } from './known-registrations.ts'
import type { LeasedOperation } from './leased-operation.ts'

/** A leased operation that can be advanced: it was just acquired, or an answer arrived. */
export interface Ready {
  leased: LeasedOperation
  answered: readonly CompletedAttempt[]
  /** Other calls of the operation are still in flight: the answers are recorded and nothing is decided. */
  isInFlight: boolean
  permits: Permits
}

export interface AdvanceOptions {
  /** The length of the lease that starts with this write; null keeps the current one. */
  leaseMs: number | null
  /** The worker is stopping: no further call is made, and operations are released. */
  isStopping: boolean
  registrations: KnownRegistrations
}

/** What the worker does next with an operation. `lost`: its lease is gone and nothing was changed. */
export type Advanced =
  | { kind: 'lost' }
  | { kind: 'in-flight' }
  | { kind: 'call'; calls: readonly PreparedCall[] }
  | Released

/** The operation was released. It is due again after `dueInMs`; null if it waits for no time. */
export interface Released {
  kind: 'released'
  dueInMs: number | null
  state: Transition['kind']
}
