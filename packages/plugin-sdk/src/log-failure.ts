import type { OperationType, Stage } from '../../../contract/protocol/vocabulary.ts'
import { printError } from './print-error.ts'

/** Enough to find the operation in the console. */
export interface FailedCall {
  operationId: string
  operationType: OperationType
  stage: Stage
  bundleInstallId: string
}

/**
 * A call that did not succeed. It contains no token, credential, value or body. The fields of the call are null if it
 * was refused before it was read.
 */
export type FailureEntry = { [Field in keyof FailedCall]: FailedCall[Field] | null } & {
  pluginId: string
  /** As the console shows it for this call; for a refusal with an HTTP status, its code. */
  errorCode: string
  message: string
}

const NO_CALL = { operationId: null, operationType: null, stage: null, bundleInstallId: null }

export interface FailureLog {
  pluginId: string
  /** Default: print the entry to standard error, as one line of JSON. */
  log: ((entry: FailureEntry) => void) | undefined
}

/** Logs why a call did not succeed. Never throws, because the call still needs its response. */
export function logFailure(
  { pluginId, log = printEntry }: FailureLog,
  call: FailedCall | null,
  { errorCode, message }: { errorCode: string; message: string },
): void {
  try {
    log({ pluginId, ...(call ?? NO_CALL), errorCode, message })
  } catch (error) {
    printError(error)
  }
}

const printEntry = (entry: FailureEntry): void => console.error(JSON.stringify(entry))
