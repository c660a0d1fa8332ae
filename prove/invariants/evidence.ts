import type { OperationType, Outcome, Stage } from '#contract/protocol/vocabulary.ts'

// What the outside saw of a run: the plugins, and the clients. Together with the tables it is all that the invariants are
// judged by; nothing of it comes from the runtime's own code.

/** A lifecycle call that arrived at a plugin, in the order of arrival. */
export interface Delivery {
  pluginId: string
  operationId: string
  stage: Stage
  bundleInstallId: string
  executionSequence: number
  /** SHA-256 of the body as it arrived, in hex. */
  bodyHash: string
  /** Whether the plugin did something for it; false where it only remembered, or refused. */
  isEffect: boolean
  /**
   * What the plugin answered, whether or not the answer arrived: an outcome, `failure` (for good), `retryable`, or
   * `nothing` that could be told (no answer, a broken one, an invalid one).
   */
  answered: Outcome | 'failure' | 'retryable' | 'nothing'
  /** The network delivered a call once more that it had delivered before. */
  isCopy?: boolean
  /** Milliseconds, by the clock of the database; where it is known. */
  at?: number
}

/** Something that a client asked the runtime to write, under one idempotency key. */
export interface ClientWrite {
  kind: OperationType | 'RETRY' | 'TAKEOVER'
  /** The request ids under which it was sent, for the audit names them; none where they are not known. */
  requestIds: readonly string[]
  /** What the client knows: an answer came that says so, or nothing came. */
  told: 'accepted' | 'refused' | 'unknown'
  /** Of an accepted one: what it was told. A save that changed nothing has no operations. */
  operations: readonly ToldOperation[]
  /** Of an accepted save: the snapshot it made, and the one it was based on. */
  snapshot?: { scopeId: number; version: number; base: number }
  /** Every answer that came, as text: all must be the same. */
  answers: readonly string[]
}

export interface ToldOperation {
  operationId: string
  operationType: OperationType
  executionSequence: number
}

export interface Evidence {
  deliveries: readonly Delivery[]
  writes: readonly ClientWrite[]
  /** Plugins that lost their memory at some time, and so cannot promise one effect. */
  forgetful?: ReadonlySet<string>
  /** Faults are over, and the bound is passed in which everything must have come to an end. */
  isQuiet: boolean
}
