import type { Call } from '../model/call.ts'
import type { FrozenPlan } from '../model/plan.ts'
import type { PreparedCall } from '../engine/steps/prepare-call.ts'
import type { CompletedAttempt } from '../model/attempt.ts'
import type { Lease } from '../model/lease.ts'
import type { OperationRow } from '../model/operation.ts'

/** An operation in the hands of one worker. */
export interface LeasedOperation {
  lease: Lease
  /** As last seen; the row in the database counts. */
  operation: OperationRow
  plan: FrozenPlan
  /** As the last transaction left them: while the lease holds nobody else changes them. Null: to be read again. */
  calls: readonly Call[] | null
  /** Attempts that the claim has recorded as begun, and that are to be made. */
  begun: readonly PreparedCall[]
  /** The same of which nobody can say what to send: to be recorded as not made. */
  unmade: readonly CompletedAttempt[]
  /** Why plan or calls cannot be read: then nothing can be done with it but to try again later. */
  unread: Error | null
}
