import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { OUTCOMES } from '../../../contract/protocol/vocabulary.ts'
import { hideProtectedName } from '../../../contract/protocol/protected-property.ts'

/**
 * Business values by full locator and property name. They are wrapped as Data exactly once for the wire, whatever they
 * contain.
 */
export type Writes = Readonly<Record<string, Readonly<Record<string, JsonValue>>>>

/** The result of a handler; only successes that applied or verified something can have writes. */
export type HandlerResult =
  | { outcome: 'APPLIED' | 'VERIFIED'; writes: Writes }
  | { outcome: 'NOT_APPLIED' | 'FAILED' | 'UNKNOWN' }

/**
 * A result together with the names and the types of what it writes, so that the compiler compares them with `writes` of the
 * plugin and with its manifest. `names` and `values` are types only: no result has them.
 */
export type ResultWith<Name extends string, Values = unknown> = HandlerResult & {
  readonly names?: Name
  readonly values?: Values
}

/** Values by locator and name. The index signature makes the compiler infer arrays as JSON has them. */
type WritesByLocator = Readonly<Record<string, Readonly<Record<string, JsonValue>> | object>>
/** Of an object whose names are not known to the compiler, or that has none, nothing is checked. */
type Known<Written> = Written extends unknown
  ? [keyof Written] extends [never]
    ? never
    : string extends keyof Written
      ? never
      : Written
  : never
type ResultOf<Written> = ResultWith<NamesOf<Known<Written>>, Known<Written>>
type NamesOf<Written> = Written extends unknown ? keyof Written & string : never
type Json<Written> = {
  readonly [locator in keyof Written]: { readonly [name in keyof Written[locator]]: JsonValue }
}

/** The business change is complete. Remembered: a retry gets this response. */
export const applied = <const Written extends WritesByLocator>(
  writes?: Written & Json<Written>,
): ResultOf<Written[keyof Written]> => ({ outcome: 'APPLIED', writes: valuesOf(writes) })

/** The expected state was found. Remembered. */
export const verified = <const Written extends WritesByLocator>(
  writes?: Written & Json<Written>,
): ResultOf<Written[keyof Written]> => ({ outcome: 'VERIFIED', writes: valuesOf(writes) })

// what JavaScript passes as a value, also undefined, is checked when the response is composed
const valuesOf = (writes: WritesByLocator = {}): Writes => writes as Writes

/** A type of its own: beside a HandlerResult, the compiler would forget what other results of a function write. */
type ResultWithoutWrites = ResultWith<never, never>

/** There was nothing to change in this stage. Remembered. */
export const notApplied = (): ResultWithoutWrites => ({ outcome: 'NOT_APPLIED' })

/** A definite failure without details; throw a PluginFailure to give a reason. Not remembered. */
export const failed = (): ResultWithoutWrites => ({ outcome: 'FAILED' })

/** It is unknown whether the change is complete; the runtime retries the call. Not remembered. */
export const unknown = (): ResultWithoutWrites => ({ outcome: 'UNKNOWN' })

/** The codes with which the SDK itself rejects or fails a call, always in a failure envelope with status 200. */
export const SDK_ERROR_CODES = [
  // The body is not a lifecycle request for this plugin, or different bytes with this operationId and stage arrived
  // earlier.
  'REQUEST_INVALID',
  // The installation has seen a later operation, or another one with the same executionSequence.
  'EXECUTION_SEQUENCE_STALE',
  // The installation was detached; only an INSTALL or a DETACH with a higher sequence may follow.
  'INSTALLATION_NOT_ACTIVE',
  // Retryable: the same call is still running in another process.
  'CALL_IN_PROGRESS',
  // The handler tried to write something that this plugin may not write; nothing was sent or committed.
  'WRITE_NOT_AUTHORIZED',
  // The handler's response is larger than the runtime accepts.
  'ANSWER_TOO_LARGE',
  // The authorization of the plugin could not be read from the platform. Retryable, unless the platform refuses
  // this plugin or its credential.
  'AUTHORIZATION_UNAVAILABLE',
  // An event receiver: its platform token does not list the method.
  'EVENT_METHOD_NOT_ALLOWED',
  // An event receiver: it has no handler for the method.
  'EVENT_NOT_DECLARED',
  // An event receiver: a different event with this id was handled before.
  'EVENT_ID_REUSED',
  // Retryable: the handler threw something other than a PluginFailure.
  'PLUGIN_INTERNAL_ERROR',
] as const
export type SdkErrorCode = (typeof SDK_ERROR_CODES)[number]

export interface FailureOptions {
  /** Upper-case words joined by `_`, at most 128 characters. */
  errorCode: string
  /** Shown to people unchanged, 1 to 512 characters: no secret, host, path or stack. */
  message: string
  /** True: the same bytes can succeed later, and the runtime retries the call. */
  retryable: boolean
  cause?: unknown
}

/** Thrown by a handler to respond with a failure envelope. Nothing is remembered: the same bytes run the handler again. */
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

/** A failure of the SDK itself; definite by default. */
export const sdkFailure = (errorCode: SdkErrorCode, message: string, retryable = false): PluginFailure =>
  new PluginFailure({ errorCode, message: hideProtectedName(message), retryable })

/** Throws if JavaScript returned something else than a result, and says what to return. */
export function requireResult(result: unknown, who: string): void {
  const outcome = typeof result === 'object' && result !== null && 'outcome' in result ? result.outcome : null
  if (OUTCOMES.some((known) => known === outcome)) return
  const returned =
    result === undefined || result === null ? String(result) : `a value of type ${typeof result}`
  throw new TypeError(
    `${who} returned ${returned}: return the result of call.conclude(…), applied(…), verified(…), notApplied(), failed() or unknown()`,
  )
}
