import type { Failure } from '#contract/runtime-api/common.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
import type { Lease } from './lease.ts'

/** Where an operation goes on; in all but `keep` its worker lets go of it. */
export type Transition =
  /** Its lease begins anew, or null: goes on. That costs an entry in every index, as the queue is ordered by its end. */
  | { kind: 'keep'; phase: Phase; leaseMs: number | null }
  /** To be repeated at `until`. */
  | { kind: 'wait'; phase: Phase; until: string }
  /** To be tried again after a moment, because of a trouble of the runtime's own. */
  | { kind: 'rest'; phase: Phase; afterMs: number }
  /** For any worker, at once or after a moment. */
  | { kind: 'give-back'; phase: Phase; afterMs: number }
  | { kind: 'fail'; phase: Phase; failure: Failure }
  | { kind: 'succeed' }

export interface LeasedTransition {
  lease: Lease
  move: Transition
  /** The plugin that is called next; absent where that stays as it is. */
  nextPlugin?: string | undefined
}
