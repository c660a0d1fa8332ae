import type { JsonValue } from '#contract/json-schema/json.ts'
import type { NoResponse } from '#contract/protocol/call-causes.ts'
import type { Stage, Outcome } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { WireEvidence } from '#contract/runtime-api/operations.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
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

export const DEFAULT_CALL_LIMITS: CallLimits = { timeoutMs: 30_000, maxAttempts: 8, maxBackoffMs: 60_000 }

/** The part of a plugin's HTTP response that judging needs. */
export interface CallResponse {
  kind: 'response'
  status: number
  contentType: string | null
  body: Uint8Array
}

/** The result of a call: a response, or the reason why there is none. */
export type CallResult = CallResponse | { kind: 'failed'; reason: NoResponse }

/** The meaning of a response for its call. See docs/protocol.md#what-a-plugin-response-means. */
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
  /** What the attempt stores of the response, masked. */
  recorded: JsonValue
  /** What the head of the response tells; absent if it tells nothing. */
  wire?: WireEvidence
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

/** An attempt with a judged response, ready to be recorded. */
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

/** One worker's hold on one operation. Each later lease of the operation has a higher epoch. */
export interface Lease {
  operationId: string
  owner: string
  epoch: number
}

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
