import type { OperationType, Outcome, Stage } from '#contract/protocol/vocabulary.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'

// What the plugins and the clients observed of a run. Together with the tables this is all that the invariants are
// checked against; none of it comes from the runtime's own code.

/** A lifecycle call that arrived at a plugin, in the order of arrival. */
export interface Delivery {
  pluginId: string
  operationId: string
  stage: Stage
  bundleInstallId: string
  executionSequence: number
  /** SHA-256 of the body as it arrived, in hex. */
  bodyHash: string
  /** Whether the plugin executed it; false for a retry and for a rejected call. */
  isEffect: boolean
  /**
   * What the plugin answered, whether or not the response arrived: an outcome, `failure` (permanent), `retryable`, or
   * `nothing` meaningful (no response, a broken or an invalid one).
   */
  answered: Outcome | 'failure' | 'retryable' | 'nothing'
  /** The network delivered a call again that it had delivered before. */
  isCopy?: boolean
  /** Milliseconds, by the clock of the database; if known. */
  at?: number
}

/** A write that a client requested, under one idempotency key. */
export interface ClientWrite {
  kind: OperationType | 'RETRY' | 'TAKEOVER'
  /** The request ids under which it was sent, as the audit records them; empty if unknown. */
  requestIds: readonly string[]
  /** What the client knows: `unknown` if no response arrived. */
  result: 'accepted' | 'refused' | 'unknown'
  /** The operations in the response. A save that changed nothing has none. */
  operations: readonly AcknowledgedOperation[]
  /** For an accepted save: the snapshot it made, and the one it was based on. */
  snapshot?: { scopeId: number; version: number; base: number }
  /** Every response that arrived, as text: all must be equal. */
  responses: readonly string[]
}

export type AcknowledgedOperation = Pick<Operation, 'operationId' | 'operationType' | 'executionSequence'>

/** What a client knows of a write after these envelopes; `save` is the scope and the snapshot that a save was based on. */
export function clientWrite(of: {
  kind: ClientWrite['kind']
  requestIds: readonly string[]
  responses: readonly { errorCode: string; data: unknown }[]
  save?: { scopeId: number; base: number } | null
}): ClientWrite {
  const { kind, requestIds, responses, save = null } = of
  const [first] = responses
  const common = { kind, requestIds, responses: responses.map((response) => JSON.stringify(response)) }
  if (first === undefined) return { ...common, result: 'unknown', operations: [] }
  if (first.errorCode !== '0') return { ...common, result: 'refused', operations: [] }
  // each endpoint that starts operations returns some of this
  const { operation, operations, snapshotVersion } = first.data as {
    operation?: Operation
    operations?: Operation[]
    snapshotVersion?: number
  }
  const started = operations ?? (operation === undefined ? [] : [operation])
  return {
    ...common,
    result: 'accepted',
    operations: started.map(({ operationId, operationType, executionSequence }) => ({
      operationId,
      operationType,
      executionSequence,
    })),
    ...(save !== null &&
      snapshotVersion !== undefined && { snapshot: { ...save, version: snapshotVersion } }),
  }
}

export interface Evidence {
  deliveries: readonly Delivery[]
  writes: readonly ClientWrite[]
  /** Faults are over, and the time limit for everything to end has passed. */
  isQuiet: boolean
}
