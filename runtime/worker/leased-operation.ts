import type { Call } from '../model/call.ts'
import type { FrozenPlan } from '../model/plan.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import type { CompletedAttempt } from '../model/attempt.ts'
import type { Lease } from '../model/lease.ts'
import type { OperationRow } from '../model/operation.ts'

/** An operation leased by this worker. */
export interface LeasedOperation {
  lease: Lease
  /** As last read; the row in the database is authoritative. */
  operation: OperationRow
  plan: FrozenPlan
  /**
   * As the last transaction left them: while the lease is valid nobody else changes them. Null: they must be read
   * again.
   */
  calls: readonly Call[] | null
  /** Attempts that the lease statement recorded as started and that are still to be sent. */
  begun: readonly PreparedCall[]
  /** Recorded attempts whose request could not be read: to be recorded as not made. */
  unmade: readonly CompletedAttempt[]
  /** Why the plan or the calls cannot be read. The operation can then only be tried again later. */
  unread: Error | null
}
