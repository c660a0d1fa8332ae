import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Outcome } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { CallKey, CallLimits } from './call.ts'
import type { Writes } from './plan.ts'

/** The meaning of an answer for its call. See docs/protocol.md#what-a-plugin-response-means. */
export interface Judgement {
  /** `done`: the call succeeded. `repeat`: send the same bytes again. `failed`: definite, nothing more is tried. */
  disposition: 'done' | 'repeat' | 'failed'
  /** For a repeat: whether the effect of the call is unknown, or the plugin itself said that a repeat can help. */
  isUncertain: boolean
  outcome: Outcome | null
  failure: Failure | null
  /** Empty unless the call is done. */
  writes: Writes
  httpStatus: number | null
  /** What the attempt stores of the answer, masked. */
  recorded: JsonValue
}

/** The kind of result of an attempt that is not in progress. */
export interface AttemptResult {
  /** False if a stop of the runtime interrupted it. */
  finished: boolean
  outcome: Outcome | null
  failed: boolean
  /** Why this platform wrote the message of the failure; null for a message of the plugin. */
  reason: string | null
}

/** The progress of a call after one of its attempts was judged. */
export interface CallAfterAttempt {
  endedWell: boolean
  /** Failed permanently in this run. */
  failed: boolean
  failure: Failure | null
  /** Milliseconds until the repeat; null if there is none. */
  waitMs: number | null
}

export interface AttemptKey extends CallKey {
  attempt: number
}

/**
 * When a sent attempt reached each point, in milliseconds since the worker held it, by the worker's monotonic clock. A
 * point that was not reached is null.
 */
export interface CallTiming {
  /** The worker had a permit and gave the request to the HTTP client. */
  sentMs: number
  /** The request was written to a connection. */
  connectedMs: number | null
  /** The head of the response arrived. */
  answeredMs: number | null
  /** The response was complete, or the call was given up. */
  endedMs: number
}

export interface RecordedAttempt {
  key: AttemptKey
  timing: CallTiming | null
  judgement: Judgement
  /** The resulting progress of the call. */
  after: CallAfterAttempt
  /** The time of the repeat, if there is one. */
  nextAttemptAt: string | null
}

/** Values of an operation that are sensitive, as became known only when a plugin wrote them. */
export interface NewSecrets {
  operationId: string
  secrets: readonly JsonValue[]
}

/** An attempt with a judged answer, ready to be recorded. */
export interface CompletedAttempt extends AttemptKey {
  judgement: Judgement
  /** Attempts of the current run, including this one. */
  runAttempt: number
  limits: CallLimits
  /** Null if it was not sent. */
  timing: CallTiming | null
  /** The runtime aborted the call because it stops. This does not end a run. */
  isGivenBack: boolean
  /** The runtime could not make or judge the call. This says nothing about the plugin. */
  isOwnTrouble: boolean
}
