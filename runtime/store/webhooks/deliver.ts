import { sql } from 'kysely'
import type { Db, Tx } from '../../model/db.ts'

export interface DueDelivery {
  delivery_id: string
  webhook_id: string
  body: string
  attempts: number
  is_overdue: boolean
  url: string
  /** Sealed. */
  secret: Buffer
}

/** How long one attempt belongs to the replica that made it; after a crash another one sends it again. */
const LEASE_SECONDS = 60
/** How long a delivery is retried, and a webhook may fail. */
const GIVE_UP_DAYS = 3
const KEPT_DAYS = 30

/** Takes the next deliveries, each for one attempt. Other replicas skip them. */
export async function takeDeliveries(db: Db, limit: number): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    update runtime.webhook_delivery as delivery
    set attempts = delivery.attempts + 1, available_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from runtime.webhook as webhook
    where webhook.webhook_id = delivery.webhook_id and delivery.delivery_id in (
      select due.delivery_id
      from runtime.webhook_delivery as due join runtime.webhook using (webhook_id)
      where due.state = 'PENDING' and due.available_at <= clock_timestamp()
        and (webhook.enabled or due.event = 'test')
      order by due.available_at
      limit ${limit}
      for update of due skip locked
    )
    returning delivery.delivery_id, delivery.webhook_id, delivery.body, delivery.attempts, webhook.url, webhook.secret,
      delivery.created_at < clock_timestamp() - make_interval(days => ${GIVE_UP_DAYS}) as is_overdue`.execute(
    db,
  )
  return rows
}

/** Records that the receiver accepted a delivery. */
export async function recordDelivered(tx: Tx, delivery: DueDelivery, status: number): Promise<void> {
  await sql`
    update runtime.webhook_delivery
    set state = 'DELIVERED', ended_at = clock_timestamp(), last_status = ${status}, last_error = null
    where delivery_id = ${delivery.delivery_id} and state = 'PENDING'`.execute(tx)
  await sql`
    update runtime.webhook set failing_since = null
    where webhook_id = ${delivery.webhook_id} and failing_since is not null`.execute(tx)
}

/**
 * Records an attempt that failed. The delivery is retried after `delayMs`, or has failed if that is null. A webhook that has
 * failed for days, or whose receiver is gone, is disabled, and what is not sent yet has failed.
 */
export async function recordFailed(
  tx: Tx,
  delivery: DueDelivery,
  failure: { status: number | null; error: string | null; delayMs: number | null; isGone: boolean },
): Promise<void> {
  const { status, error, delayMs, isGone } = failure
  await sql`
    update runtime.webhook_delivery
    set last_status = ${status}, last_error = ${error},
      state = case when ${delayMs}::float8 is null then 'FAILED' else 'PENDING' end,
      ended_at = case when ${delayMs}::float8 is null then clock_timestamp() end,
      available_at = clock_timestamp() + coalesce(${delayMs}::float8, 0) * interval '1 millisecond'
    where delivery_id = ${delivery.delivery_id} and state = 'PENDING'`.execute(tx)
  const { rows } = await sql<{ enabled: boolean }>`
    update runtime.webhook
    set failing_since = coalesce(failing_since, clock_timestamp()),
      enabled = enabled and not (${isGone} or ${isLong()}),
      disabled_because = case when not enabled then disabled_because
        when ${isGone} then 'GONE' when ${isLong()} then 'FAILING' end
    where webhook_id = ${delivery.webhook_id}
    returning enabled`.execute(tx)
  if (rows[0]?.enabled !== false) return
  await sql`
    update runtime.webhook_delivery set state = 'FAILED', ended_at = clock_timestamp()
    where webhook_id = ${delivery.webhook_id} and state = 'PENDING' and event <> 'test'`.execute(tx)
}

const isLong = () =>
  sql`coalesce(failing_since < clock_timestamp() - make_interval(days => ${GIVE_UP_DAYS}), false)`

/** Reports operations that have been retried automatically for longer than a webhook allows, each run once. */
export async function reportRetrying(db: Db): Promise<void> {
  await sql`
    select runtime.notify_operation('operation.retrying', operation, coalesce(run_started_at, started_at))
    from runtime.operation
    where state = 'WAITING' and exists (
      select from runtime.webhook where enabled and 'operation.retrying' = any(events))`.execute(db)
}

/** Deletes a part of the log that is older than a month. */
export async function deleteOldDeliveries(db: Db): Promise<void> {
  await sql`
    delete from runtime.webhook_delivery where delivery_id in (
      select delivery_id from runtime.webhook_delivery
      where state <> 'PENDING' and ended_at < clock_timestamp() - make_interval(days => ${KEPT_DAYS})
      limit 1000)`.execute(db)
}
