import type { JsonValue } from '#contract/json-schema/json.ts'
import { maskAnswer, newSecrets } from '../engine/calls/sensitive-values.ts'
import type { Decision } from '../engine/steps/decide.ts'
import type { RecordedAttempt, NewSecrets, Lease } from '../model/call.ts'
import type { Db, Tx } from '../model/db.ts'
import type { Vault } from '../model/vault.ts'
import { deleteResources } from '../store/installations/ledger.ts'
import { persistTransitions } from '../store/operations/persist-transitions.ts'
import type { PersistedTransitions } from '../store/operations/persist-transitions.ts'
import { putRecorded, readRecorded } from '../store/operations/recorded-answers.ts'
import type { RecordedAnswer } from '../store/operations/recorded-answers.ts'
import { applySuccess } from './apply-success.ts'

export interface LeasedDecision {
  lease: Lease
  /** Recorded with the decision that they led to. */
  answers: readonly RecordedAttempt[]
  decision: Decision
  /** The plugin that {@link nextPluginAfter} returns for the decision. */
  nextPlugin: string
}

/** Writes decisions that affect only their operation, its installation and its ledger: one statement for all. */
export async function persistDecisions(
  db: Db,
  vault: Vault,
  steps: readonly LeasedDecision[],
): Promise<PersistedTransitions> {
  if (steps.length === 0) return { moved: new Set(), begun: new Map() }
  const decisions = steps.map(({ decision }) => decision)
  const [stays, moves] = [steps.filter(leavesRowUnchanged), steps.filter((step) => !leavesRowUnchanged(step))]
  return persistTransitions(db, vault, {
    leases: steps.map(({ lease }) => lease),
    answers: steps.flatMap(({ answers }) => answers),
    failedCalls: decisions.flatMap(({ failedCalls }) => failedCalls),
    resources: decisions.flatMap(({ ledger }) => ledger?.staying ?? []),
    attempts: steps.flatMap(({ lease, answers, decision }) =>
      decision.attempts.map((attempt) => ({
        ...attempt,
        epoch: lease.epoch,
        isFirst: attempt.runAttempt === 1,
        followsAnswer: answers.length > 0,
      })),
    ),
    succeeded: decisions.flatMap(({ move, operation }) => (move.kind === 'succeed' ? [operation] : [])),
    moves: moves.map(({ lease, decision: { move }, nextPlugin }) => ({ lease, move, nextPlugin })),
    stays: stays.map(({ lease }) => lease),
  })
}

/**
 * Whether the step leaves the operation's row unchanged: then it is not written, because each row version has a cost.
 */
function leavesRowUnchanged({ decision: { move, operation }, nextPlugin }: LeasedDecision): boolean {
  const isKept = move.kind === 'keep' && move.leaseMs === null && move.phase === operation.phase
  return isKept && nextPlugin === operation.next_plugin
}

/** Also writes the changes to the configuration of the scope and removes resources from the ledger. */
export async function persistWideDecisions(
  tx: Tx,
  vault: Vault,
  steps: readonly LeasedDecision[],
): Promise<PersistedTransitions> {
  const decisions = steps.map(({ decision }) => decision)
  await deleteResources(
    tx,
    decisions.flatMap(({ ledger }) => ledger?.gone ?? []),
  )
  // the ledger first: the plugins' writes are added to what RESOURCES stored there
  const written = await persistDecisions(tx, vault, steps)
  if (steps.some(({ lease }) => !written.moved.has(lease.operationId)))
    throw new Error('the lease of an operation was lost')
  await redactRecorded(
    tx,
    steps.flatMap(({ answers }) => answers.flatMap((attempt) => newSecrets(attempt) ?? [])),
  )
  await applySuccess(
    tx,
    vault,
    decisions.filter(({ move }) => move.kind === 'succeed'),
  )
  return written
}

/** Redacts newly recognized secrets in the responses already recorded for their operations. */
export async function redactRecorded(tx: Tx, operations: readonly NewSecrets[]): Promise<void> {
  if (operations.length === 0) return
  const recorded = await readRecorded(
    tx,
    operations.map(({ operationId }) => operationId),
  )
  // one list for each operation: to prepare its secrets takes longer than to look for them in a response
  const secretsOf = new Map(
    [...Map.groupBy(operations, ({ operationId }) => operationId)].map(([operationId, of]) => [
      operationId,
      of.flatMap(({ secrets }) => secrets),
    ]),
  )
  for (const answer of recorded) {
    const secrets = secretsOf.get(answer.operation_id) ?? []
    const redacted = redact(answer, secrets)
    if (redacted !== null) await putRecorded(tx, redacted)
  }
}

/** Null if nothing has to be redacted. */
function redact(answer: RecordedAnswer, secrets: readonly JsonValue[]): RecordedAnswer | null {
  const { failure, response, wire } = answer
  const redacted = maskAnswer({ failure, response, wire }, secrets)
  return JSON.stringify(redacted) === JSON.stringify({ failure, response, wire })
    ? null
    : { ...answer, ...redacted }
}
