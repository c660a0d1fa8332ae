import { sql } from 'kysely'
import type { OperationRow } from '../../operations/view.ts'
import type { Db } from '../../world.ts'

/**
 * Leases up to `limit` operations that are due to one worker: new ones, those whose wait is over and those whose worker
 * is gone, the longest due first. `busyPlugins` leaves out those that still have to call one of these plugins.
 */
export async function claimOperations(
  db: Db,
  claim: { owner: string; leaseMs: number; limit: number; busyPlugins: readonly string[] },
): Promise<OperationRow[]> {
  const claimed = await sql<OperationRow>`
    with due as (
      select operation_id, state
      from runtime.operation
      where state in ('PENDING', 'RUNNING', 'WAITING') and available_at <= statement_timestamp()
        and (${claim.busyPlugins.length === 0}::boolean or not exists (
          select from runtime.plugin_call
          where plugin_call.operation_id = operation.operation_id and not plugin_call.ended_well
            and plugin_call.plugin_id = any(${[...claim.busyPlugins]}::text[])))
      order by available_at
      limit ${claim.limit}
      for update skip locked
    ), claimed as (
      update runtime.operation
      set state = 'RUNNING',
        lease_owner = ${claim.owner},
        lease_epoch = operation.lease_epoch + 1,
        available_at = clock_timestamp() + ${claim.leaseMs} * interval '1 millisecond',
        started_at = coalesce(operation.started_at, clock_timestamp()),
        next_attempt_at = null
      from due
      where operation.operation_id = due.operation_id
      returning operation.*, due.state as state_before
    ), told as (
      insert into runtime.event (kind, scope_id, object_id)
      select told.kind, claimed.scope_id, told.object_id
      from claimed, lateral (values
        ('operation', claimed.operation_id::text),
        ('installation', claimed.bundle_install_id::text)) as told (kind, object_id)
      where claimed.state_before <> 'RUNNING'
    )
    select * from claimed`.execute(db)
  return claimed.rows
}
