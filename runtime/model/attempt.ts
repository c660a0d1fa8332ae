import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Outcome } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { CallKey, CallLimits } from './call.ts'
import type { Writes } from './plan.ts'

/** What an answer means for its call. */
export interface Judgement {
  /** `done`: ended well. `repeat`: send the same bytes again. `failed`: definite, nothing more is tried. */
  disposition: 'done' | 'repeat' | 'failed'
  /** Of a repeat: whether it is open what the plugin did, or the plugin said itself that a repeat can help. */
  isUncertain: boolean
  outcome: Outcome | null
  failure: Failure | null
  /** Only of a call that is done. */
  writes: Writes
  httpStatus: number | null
  /** What the attempt keeps of the answer, masked. */
  recorded: JsonValue
}

/** Where a call stands after one attempt of it was judged. */
export interface CallAfterAttempt {
  endedWell: boolean
  /** Failed for good in this run. */
  failed: boolean
  failure: Failure | null
  /** When it is to be repeated: milliseconds from now, else null. */
  waitMs: number | null
}

export interface AttemptKey extends CallKey {
  attempt: number
}

export interface RecordedAttempt {
  key: AttemptKey
  judgement: Judgement
  /** Where it leaves its call. */
  after: CallAfterAttempt
  /** When it is to be repeated. */
  nextAttemptAt: string | null
}

/** Values of an operation that are known to be sensitive only since a plugin wrote them. */
export interface NewSecrets {
  operationId: string
  secrets: readonly JsonValue[]
}

/** An attempt whose answer was judged and is to be recorded. */
export interface CompletedAttempt extends AttemptKey {
  judgement: Judgement
  /** Attempts of the current run, this one included. */
  runAttempt: number
  limits: CallLimits
  /** The runtime itself broke the call off, because it stops: this ends no run. */
  isGivenBack: boolean
  /** The runtime could not make or judge the call: this says nothing about the plugin. */
  isOwnTrouble: boolean
}
