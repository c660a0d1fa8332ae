import { sql } from 'kysely'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { Phase } from '#contract/runtime-api/vocabulary.ts'
import type { Tx } from '../../world.ts'
import { isHeld, leaseEnd } from './lease.ts'
import type { Lease } from './lease.ts'

/** Where an operation goes on; in all but `keep` its worker lets go of it. */
export type Move =
  | { kind: 'keep'; phase: Phase; leaseMs: number }
  /** To be repeated at `until`. */
  | { kind: 'wait'; phase: Phase; until: string }
  /** For any worker, at once or after a moment. */
  | { kind: 'give-back'; phase: Phase; afterMs: number }
  | { kind: 'fail'; phase: Phase; failure: Failure }
  | { kind: 'succeed' }

/**
 * The one statement that changes the state of an operation that a worker holds, and tells of it; its installation is told
 * of where the state of its claim changes. Throws when the worker does not hold it.
 */
export async function moveHeld(tx: Tx, lease: Lease, move: Move): Promise<void> {
  const isNewState = move.kind !== 'keep' && move.kind !== 'give-back'
  const moved = await sql`
    with moved as (
      update runtime.operation set ${assignments(move)} where ${isHeld(lease)}
      returning operation_id, bundle_install_id, scope_id
    )
    insert into runtime.event (kind, scope_id, object_id)
    select 'operation', scope_id, operation_id::text from moved
    union all
    select 'installation', scope_id, bundle_install_id::text from moved where ${isNewState}::boolean`.execute(
    tx,
  )
  if (moved.numAffectedRows === 0n) throw new Error(`the lease of operation ${lease.operationId} is lost`)
}

function assignments(move: Move) {
  switch (move.kind) {
    case 'keep':
      return sql`state = 'RUNNING', phase = ${move.phase}, available_at = ${leaseEnd(move.leaseMs)}`
    case 'wait':
      return sql`state = 'WAITING', phase = ${move.phase}, lease_owner = null,
        next_attempt_at = ${move.until}::timestamptz, available_at = ${move.until}::timestamptz`
    case 'give-back':
      return sql`state = 'RUNNING', phase = ${move.phase}, lease_owner = null,
        available_at = clock_timestamp() + ${move.afterMs} * interval '1 millisecond'`
    case 'fail':
      return sql`state = 'FAILED', phase = ${move.phase}, failure = ${JSON.stringify(move.failure)},
        lease_owner = null, finished_at = clock_timestamp()`
    case 'succeed':
      return sql`state = 'SUCCEEDED', phase = 'DONE', failure = null, holds_claim = false,
        lease_owner = null, finished_at = clock_timestamp()`
  }
}
