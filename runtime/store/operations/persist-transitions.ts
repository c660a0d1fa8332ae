import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { failCalls } from './calls.ts'
import { leaseRows, lockedOf } from './leases.ts'
import { moveOperations, notifyUnmoved } from './move-operations.ts'
import { putResources } from '../installations/ledger.ts'
import { recordAttempts, plannedAttempts, startAttempts } from './attempt-statements.ts'
import type { NewAttempt } from './attempt-statements.ts'
import { updateInstallations } from '../installations/installations.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'
import type { FailedCall, Lease, LeasedTransition, RecordedAttempt } from '../../model/call.ts'
import type { ResourceToPut } from '../../model/ledger.ts'

/** What a step writes of leased operations. Each part names its operation. */
export interface TransitionBatch {
  /** The leases of all operations in the batch. */
  leases: readonly Lease[]
  answers?: readonly RecordedAttempt[]
  failedCalls?: readonly FailedCall[]
  resources?: readonly ResourceToPut[]
  attempts?: readonly NewAttempt[]
  succeeded?: readonly OperationRow[]
  moves?: readonly LeasedTransition[]
  /** The leases of operations that continue without a transition. */
  stays?: readonly Lease[]
}

/** The ids of the operations that were written, by kind of write. */
export interface PersistedTransitions {
  /** Includes those that continue without a transition. */
  moved: ReadonlySet<string>
  /** The number of attempts that were started, by operation. */
  begun: ReadonlyMap<string, number>
}

/**
 * Writes everything that one step does to operations, in one statement and so in one transaction: the recorded
 * responses, the resulting resources, calls, installations and operations, the attempts that start, and the events.
 * Skips an operation that is no longer held or that another session has locked, so the statement never waits. Of an
 * operation whose state is not what the worker assumed, only the responses are recorded.
 */
export async function persistTransitions(
  db: Db,
  vault: Vault,
  changes: TransitionBatch,
): Promise<PersistedTransitions> {
  const { leases, answers = [], failedCalls = [], resources = [] } = changes
  const { attempts = [], succeeded = [], moves = [], stays = [] } = changes
  const parts: RawBuilder<unknown>[] = []
  const without: RawBuilder<unknown>[] = []
  if (answers.length > 0) {
    parts.push(recordAttempts(vault, answers))
    without.push(sql`unsure`)
  }
  if (attempts.length > 0) {
    parts.push(plannedAttempts(vault, attempts))
    without.push(sql`stale`)
  }
  parts.push(expectedOperations(without))
  if (failedCalls.length > 0) parts.push(failCalls(failedCalls))
  if (resources.length > 0) parts.push(putResources(vault, resources))
  if (attempts.length > 0) parts.push(startAttempts)
  if (succeeded.length > 0) parts.push(updateInstallations(succeeded))
  const moved: RawBuilder<unknown>[] = []
  if (moves.length > 0) {
    parts.push(moveOperations(moves))
    moved.push(sql`select operation_id from moved`)
  }
  if (stays.length > 0) {
    parts.push(notifyUnmoved(stays))
    moved.push(sql`select operation_id from unmoved`)
  }
  const advanced = await sql<{ moved: string[]; begun: string[] }>`
    with lease as (select * from ${leaseRows(leases)}
    ), held as materialized (
      ${lockedOf(sql`operation_id, scope_id, paused`, { skipLocked: true })}
    ), ${sql.join(parts, sql`, `)}
    select ${moved.length > 0 ? sql`array(${sql.join(moved, sql` union all `)})` : sql`'{}'`}::text[] as moved,
      ${attempts.length > 0 ? sql`array(select operation_id from begun)` : sql`'{}'`}::text[] as begun`.execute(
    db,
  )
  const [row] = advanced.rows
  if (row === undefined) throw new Error('a select without a table returns a row')
  const begun = new Map<string, number>()
  for (const operationId of row.begun) begun.set(operationId, (begun.get(operationId) ?? 0) + 1)
  return { moved: new Set(row.moved), begun }
}

/** The held operations whose state is what the worker assumed. */
function expectedOperations(without: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const conditions = without.map(
    (others) => sql`not exists (select from ${others} as other where other.operation_id = held.operation_id)`,
  )
  return sql`
    confirmed as (select operation_id from held where ${sql.join([sql`true`, ...conditions], sql` and `)})`
}
