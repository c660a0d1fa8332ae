import type { Stage } from '#contract/protocol/vocabulary.ts'

export type Awaitable<Value> = Value | Promise<Value>

/** What is known of one call, from its first arrival on. `answer` is null until an outcome is to be remembered. */
export interface RememberedCall {
  operationId: string
  stage: Stage
  bundleInstallId: string
  executionSequence: number
  /** SHA-256 of the body's bytes, in hexadecimal. */
  fingerprint: string
  /** Who runs the handler now, or null; it holds until `leaseUntil`, in milliseconds since 1970. */
  owner: string | null
  leaseUntil: number | null
  /** The whole answering body. */
  answer: string | null
  endedAt: number | null
}

/** The highest executionSequence that was seen of an installation; kept for ever, also after a DETACH. */
export interface Mark {
  bundleInstallId: string
  operationId: string
  executionSequence: number
  /** A tombstone: the DETACH has ended well. */
  isDetached: boolean
}

/** Where the SDK keeps what it must not forget. All of it happens inside a transaction of the store. */
export interface Memory<Tx> {
  readCall(tx: Tx, key: { operationId: string; stage: Stage }): Awaitable<RememberedCall | null>
  /** Inserts or replaces. */
  writeCall(tx: Tx, call: RememberedCall): Awaitable<void>
  readMark(tx: Tx, bundleInstallId: string): Awaitable<Mark | null>
  /** Inserts or replaces. */
  writeMark(tx: Tx, mark: Mark): Awaitable<void>
  /** Forgets calls of the installation's earlier operations that ended before this time. */
  forgetCalls(
    tx: Tx,
    before: { bundleInstallId: string; executionSequence: number; endedAt: number },
  ): Awaitable<void>
}

/**
 * A plugin's database. One store belongs to one plugin; several processes of that plugin may share it. Transactions are
 * serializable, and what one has committed survives a power loss.
 */
export interface Store<Tx> {
  /** Commits when `work` returns, rolls back when it throws. Never waits inside for anything but the database. */
  transaction<Result>(work: (tx: Tx) => Awaitable<Result>): Promise<Result>
  readonly memory: Memory<Tx>
  close(): Promise<void>
}
