import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Writes } from './plan.ts'

/** A plugin call of an operation, as the engine sees it. */
export type Call = CallProgress &
  CallWrites & {
    /** The frozen bytes; null before the first attempt. */
    request: Uint8Array | null
    attempts: number
    /** Attempts in the current run. */
    runAttempts: number
  }

export interface CallKey {
  operationId: string
  stage: Stage
  pluginId: string
}

/** The fields of a plugin call that decide the order of calls. */
export interface CallProgress {
  stage: Stage
  pluginId: string
  order: number
  endedWell: boolean
  /** Failed permanently in this run. */
  failed: boolean
  failure: Failure | null
  /** RFC 3339 in UTC with milliseconds; null means at once. */
  nextAttemptAt: string | null
}

/** The fields of a call that concern its writes. */
export interface CallWrites {
  stage: Stage
  pluginId: string
  order: number
  /** Null until the call has succeeded. */
  writes: Writes | null
}

export interface FailedCall extends CallKey {
  failure: Failure
}

/** The limits of calls to a plugin; a registration may set each. See docs/protocol.md#repeats-and-attempts. */
export interface CallLimits {
  timeoutMs: number
  /** Attempts in one run of an operation, including the first. */
  maxAttempts: number
  maxBackoffMs: number
}
