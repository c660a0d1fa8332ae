import type { BatchState } from '#contract/runtime-api/vocabulary.ts'
import type { Waves } from '#contract/runtime-api/waves.ts'

/** How far a batch is: what its next step depends on. */
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
  /** Null without waves, and if nothing is pending. */
  next: WaveProgress | null
}

/** How far the wave before is, when the next one is due. */
export interface WaveProgress {
  waves: Waves
  /** The wave that starts next. */
  wave: number
  /** A person continued with it in spite of the conditions, or some of its items have started. */
  isReleased: boolean
  /** Items of earlier waves without a result. */
  running: number
  /** The items of the wave before, and those of them that failed or were refused and did not succeed since. */
  items: number
  failures: number
  /** Seconds since the last result of the wave before. */
  soaked: number
  /** The plugins that the wave before called, with their attempts since it began. */
  plugins: readonly { pluginId: string; attempts: number; succeeded: number }[]
}
