import type { Failure } from '#contract/runtime-api/common.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
import type { Lease } from './lease.ts'

/** How an operation continues. Every kind except `keep` ends the lease. */
export type Transition =
  /**
   * Renews the lease, or leaves it with null. A renewal costs an entry in every index, because its end orders the
   * queue.
   */
  | { kind: 'keep'; phase: Phase; leaseMs: number | null }
  /** Waits for a repeat at `until`. */
  | { kind: 'wait'; phase: Phase; until: string }
  /** Is retried after a delay, because the runtime itself had a problem. */
  | { kind: 'rest'; phase: Phase; afterMs: number }
  /** Goes to any worker, at once or after a delay. */
  | { kind: 'give-back'; phase: Phase; afterMs: number }
  | { kind: 'fail'; phase: Phase; failure: Failure }
  | { kind: 'succeed' }

export interface LeasedTransition {
  lease: Lease
  move: Transition
  /** The plugin of the next call; absent if it does not change. */
  nextPlugin?: string | undefined
}
