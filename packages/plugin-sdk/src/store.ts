import type { Stage } from '../../../contract/protocol/vocabulary.ts'
import type { Awaitable } from './awaitable.ts'
import type { EventTables } from './event-store.ts'

/** The stored state of one call since its first arrival. `answer` is null until an outcome is remembered. */
export interface RememberedCall {
  operationId: string
  stage: Stage
  bundleInstallId: string
  executionSequence: number
  /** SHA-256 of the body, in hexadecimal. */
  fingerprint: string
  /** The run that executes the handler, or null; valid until `leaseUntil`, in milliseconds since 1970. */
  owner: string | null
  leaseUntil: number | null
  /** The complete response body. */
  answer: string | null
  endedAt: number | null
}

/** The highest executionSequence seen for an installation; kept forever, even after a DETACH. */
export interface Mark {
  bundleInstallId: string
  operationId: string
  executionSequence: number
  /** A tombstone: the DETACH has succeeded. */
  isDetached: boolean
}

export interface CallKey {
  operationId: string
  stage: Stage
  bundleInstallId: string
}

/** Where the SDK stores what it must remember. All methods are called inside a transaction of the store. */
export interface Memory<Tx> {
  /** The call and the mark of its installation: in one statement, because every transaction of a call reads both. */
  read(tx: Tx, key: CallKey): Awaitable<{ call: RememberedCall | null; mark: Mark | null }>
  /** Inserts or replaces. */
  writeCall(tx: Tx, call: RememberedCall): Awaitable<void>
  /** Inserts or replaces. */
  writeMark(tx: Tx, mark: Mark): Awaitable<void>
  /** Deletes calls of the installation's earlier operations that ended before this time. */
  forgetCalls(
    tx: Tx,
    before: { bundleInstallId: string; executionSequence: number; endedAt: number },
  ): Awaitable<void>
}

/**
 * A plugin's database. A store belongs to one plugin; several processes of that plugin may share it. Transactions are
 * serializable, and committed data survives a power loss.
 */
export interface Store<Tx> {
  /** Commits when `work` returns, rolls back when it throws. `work` may await only the database. */
  transaction<Result>(work: (tx: Tx) => Awaitable<Result>): Promise<Result>
  readonly memory: Memory<Tx>
  /** For an outbox or an event receiver. */
  readonly events?: EventTables<Tx>
  close(): Promise<void>
}
