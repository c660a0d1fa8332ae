import type { BatchReason, BatchState } from '#contract/runtime-api/vocabulary.ts'

export interface BatchProgress {
  state: BatchState
  /** The number of items after which it pauses, unless it was released; null for never. */
  first: number | null
  isReleased: boolean
  concurrency: number
  stopAfterFailures: number | null
  /** Whether the grants of its person may still be used. */
  hasGrants: boolean
  pending: number
  running: number
  /** Items that have started or were refused at their turn. */
  begun: number
  /** Of these, those that failed or were refused. */
  failures: number
}

export type BatchStep =
  | { kind: 'start' }
  /** Until an item ends, or a person acts. */
  | { kind: 'wait' }
  | { kind: 'pause'; because: BatchReason }
  | { kind: 'stop'; because: BatchReason }
  | { kind: 'finish' }

/** What a batch does next. It never has more items in progress than `concurrency`, nor more than `first` until released. */
export function batchStep(batch: BatchProgress): BatchStep {
  if (batch.pending === 0) return batch.running === 0 ? { kind: 'finish' } : { kind: 'wait' }
  if (batch.state !== 'RUNNING') return { kind: 'wait' }
  if (batch.stopAfterFailures !== null && batch.failures >= batch.stopAfterFailures)
    return { kind: 'stop', because: 'FAILURES' }
  const isHeld = batch.first !== null && !batch.isReleased && batch.begun >= batch.first
  if (isHeld) return batch.running === 0 ? { kind: 'pause', because: 'FIRST' } : { kind: 'wait' }
  if (!batch.hasGrants) return { kind: 'pause', because: 'GRANTS_EXPIRED' }
  return batch.running < batch.concurrency ? { kind: 'start' } : { kind: 'wait' }
}
