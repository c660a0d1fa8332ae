import type { BatchReason, WaveReason } from '#contract/runtime-api/vocabulary.ts'
import type { BatchProgress } from '../../model/batch-progress.ts'
import { unmetConditions } from './waves.ts'

export type BatchStep =
  | { kind: 'start' }
  /** Until an item ends, or a person acts. */
  | { kind: 'wait' }
  /** Until the conditions of the next wave are met, or a person acts. */
  | { kind: 'hold'; wave: number; because: WaveReason[] }
  | { kind: 'pause'; because: BatchReason }
  | { kind: 'stop'; because: BatchReason }
  | { kind: 'finish' }

/**
 * What a batch does next. It never has more items in progress than `concurrency`, nor more than `first` until released, and
 * starts no wave before the last result of the wave before.
 */
export function batchStep(batch: BatchProgress): BatchStep {
  if (batch.pending === 0) return batch.running === 0 ? { kind: 'finish' } : { kind: 'wait' }
  if (batch.state !== 'RUNNING') return { kind: 'wait' }
  if (batch.stopAfterFailures !== null && batch.failures >= batch.stopAfterFailures)
    return { kind: 'stop', because: 'FAILURES' }
  const isHeld = batch.first !== null && !batch.isReleased && batch.begun >= batch.first
  if (isHeld) return batch.running === 0 ? { kind: 'pause', because: 'FIRST' } : { kind: 'wait' }
  if (!batch.hasGrants) return { kind: 'pause', because: 'GRANTS_EXPIRED' }
  const { next } = batch
  if (next !== null && next.running > 0) return { kind: 'wait' }
  const because = next === null ? [] : unmetConditions(next)
  if (next !== null && because.length > 0) return { kind: 'hold', wave: next.wave, because }
  return batch.running < batch.concurrency ? { kind: 'start' } : { kind: 'wait' }
}
