import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

/** One worker's hold on one operation; whoever claims it later has a higher epoch. */
export interface Lease {
  operationId: string
  owner: string
  epoch: number
}

/** Leases as rows of a statement, to be joined by `isHeld`. */
export function leaseRows(leases: readonly Lease[]): RawBuilder<unknown> {
  return sql`unnest(
    ${leases.map(({ operationId }) => operationId)}::uuid[],
    ${leases.map(({ owner }) => owner)}::text[],
    ${leases.map(({ epoch }) => epoch)}::bigint[]) as lease (operation_id, owner, epoch)`
}

/**
 * The condition that stands in every write of a worker: it holds the operation still. The time is the database's; an
 * expired lease is lost even when nobody has claimed the operation since. Only what is RUNNING has an owner (a constraint),
 * and the state is not asked here: with it the planner would look through the whole queue instead of at the primary key.
 */
export const isHeld: RawBuilder<boolean> = sql<boolean>`(
  operation.operation_id = lease.operation_id
  and operation.lease_owner = lease.owner
  and operation.lease_epoch = lease.epoch
  and operation.available_at > clock_timestamp())`

/** The end of a lease that begins now, by the database's clock. */
export function leaseEnd(leaseMs: number): RawBuilder<string> {
  return sql<string>`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`
}
