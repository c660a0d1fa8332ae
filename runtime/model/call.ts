import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Writes } from './plan.ts'

/** A plugin call of an operation as the engine thinks of it. */
export type Call = CallProgress &
  CallWrites & {
    /** The frozen bytes; null before the first attempt. */
    request: Uint8Array | null
    attempts: number
    /** Attempts of the current run. */
    runAttempts: number
  }

export interface CallKey {
  operationId: string
  stage: Stage
  pluginId: string
}

/** A plugin call as far as the order of things depends on it. */
export interface CallProgress {
  stage: Stage
  pluginId: string
  order: number
  endedWell: boolean
  /** Failed for good in this run. */
  failed: boolean
  failure: Failure | null
  /** RFC 3339 in UTC with milliseconds; null is "at once". */
  nextAttemptAt: string | null
}

/** A call as far as its writes matter. */
export interface CallWrites {
  stage: Stage
  pluginId: string
  order: number
  /** Null until it ended well. */
  writes: Writes | null
}

export interface FailedCall extends CallKey {
  failure: Failure
}

/** How a plugin is called; a registration may set each (decisions, section 4). */
export interface CallLimits {
  timeoutMs: number
  /** Attempts in one run of an operation, the first included. */
  maxAttempts: number
  maxBackoffMs: number
}
