import type { JsonValue } from '#contract/json-schema/json.ts'
import { hideProtectedName } from '#contract/protocol/protected-name.ts'

/** Business values by full locator and property name. They are wrapped as Data for the wire, once, whatever is inside. */
export type Writes = Readonly<Record<string, Readonly<Record<string, JsonValue>>>>

/** What a handler says that it did; writes go only with a success that applied or verified something. */
export type HandlerResult =
  | { outcome: 'APPLIED' | 'VERIFIED'; writes: Writes }
  | { outcome: 'NOT_APPLIED' | 'FAILED' | 'UNKNOWN' }

/** The business change is done. Remembered: a repeat gets this very answer. */
export const applied = (writes: Writes = {}): HandlerResult => ({ outcome: 'APPLIED', writes })

/** What had to be there is there. Remembered. */
export const verified = (writes: Writes = {}): HandlerResult => ({ outcome: 'VERIFIED', writes })

/** There was nothing to change in this stage. Remembered. */
export const notApplied = (): HandlerResult => ({ outcome: 'NOT_APPLIED' })

/** A definite failure without a word about it; throw a PluginFailure to say why. Not remembered. */
export const failed = (): HandlerResult => ({ outcome: 'FAILED' })

/** It is not known whether the change is done; the runtime repeats the call. Not remembered. */
export const unknown = (): HandlerResult => ({ outcome: 'UNKNOWN' })

/** The codes with which the SDK itself refuses or fails a call, always in a failure envelope with status 200. */
export const SDK_ERROR_CODES = [
  // The body is no lifecycle request for this plugin, or other bytes came before with this operationId and stage.
  'REQUEST_INVALID',
  // The installation has seen a later operation, or another one with the same executionSequence.
  'EXECUTION_SEQUENCE_STALE',
  // The installation was detached; only an INSTALL or a DETACH with a higher sequence may follow.
  'INSTALLATION_NOT_ACTIVE',
  // Retryable: the same call still runs in another process.
  'CALL_IN_PROGRESS',
  // The handler tried to write what this plugin may not write; nothing of it left, and nothing was committed.
  'WRITE_NOT_AUTHORIZED',
  // The handler's answer is larger than the runtime reads.
  'ANSWER_TOO_LARGE',
  // Retryable: the handler threw something that is not a PluginFailure.
  'PLUGIN_INTERNAL_ERROR',
] as const
export type SdkErrorCode = (typeof SDK_ERROR_CODES)[number]

export interface FailureOptions {
  /** Upper-case words joined by `_`, at most 128 characters. */
  errorCode: string
  /** Shown to people as it is, 1 to 512 characters: no secret, host, path or stack. */
  message: string
  /** True: the same bytes can succeed later, and the runtime repeats the call. */
  retryable: boolean
  cause?: unknown
}

/** Thrown by a handler to answer a failure envelope. Nothing is remembered: the same bytes run the handler again. */
export class PluginFailure extends Error {
  override readonly name = 'PluginFailure'
  readonly errorCode: string
  readonly retryable: boolean

  constructor({ errorCode, message, retryable, cause }: FailureOptions) {
    super(message, { cause })
    this.errorCode = errorCode
    this.retryable = retryable
  }
}

/** A failure of the SDK's own, definite unless said otherwise. */
export const sdkFailure = (errorCode: SdkErrorCode, message: string, retryable = false): PluginFailure =>
  new PluginFailure({ errorCode, message: hideProtectedName(message), retryable })
