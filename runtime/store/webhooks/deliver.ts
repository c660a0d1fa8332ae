import { sql } from 'kysely'
import type { WebhookFormat } from '#contract/runtime-api/vocabulary.ts'
import type { Db, Tx } from '../../model/db.ts'

export interface DueDelivery {
  delivery_id: string
  webhook_id: string
  body: string
  is_written: boolean
  format: WebhookFormat
  attempts: number
  is_overdue: boolean
  url: string
  /** Sealed. */
  address: Buffer
  /** Sealed. */
  secret: Buffer
}

/** How long one attempt belongs to the replica that made it; after a crash another one sends it again. */
const LEASE_SECONDS = 60
/** How long a delivery is retried, and a webhook may fail. */
const GIVE_UP_DAYS = 3
/** How long a delivery waits for a disabled webhook. */
const EXPIRE_DAYS = 7
const KEPT_DAYS = 30

/** How many deliveries of one webhook are in flight at once, and of one whose last delivery failed. */
const WEBHOOK_SHARE = 3
const FAILING_SHARE = 1

/**
 * Takes the next deliveries, each for one attempt. Other replicas skip them. One webhook gets a small share only, and those with the fewest
 * deliveries in flight come first, so that receivers that answer late, or not at all, delay no other.
 *
 * @param inFlight How many deliveries of each webhook are in flight.
 */
export async function takeDeliveries(
  db: Db,
  limit: number,
  inFlight: ReadonlyMap<string, number> = new Map(),
): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    update runtime.webhook_delivery as delivery
    set attempts = delivery.attempts + 1, available_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from runtime.webhook as webhook
    where webhook.webhook_id = delivery.webhook_id and delivery.delivery_id in (
      select due.delivery_id
      from runtime.webhook as receiver
      left join unnest(${[...inFlight.keys()]}::uuid[], ${[...inFlight.values()]}::int[]) as busy (webhook_id, count)
        on busy.webhook_id = receiver.webhook_id
      cross join lateral (
        select pending.delivery_id, pending.available_at
        from runtime.webhook_delivery as pending
        where pending.webhook_id = receiver.webhook_id and pending.state = 'PENDING'
          and pending.available_at <= clock_timestamp()
          and (receiver.enabled or pending.event = 'test')
        order by pending.available_at
        limit greatest(0, case when receiver.failing_since is null then ${WEBHOOK_SHARE}::int else ${FAILING_SHARE}::int end
          - coalesce(busy.count, 0))
        for update skip locked
      ) as due
      order by coalesce(busy.count, 0), due.available_at
      limit ${limit}
    )
    returning delivery.delivery_id, delivery.webhook_id, delivery.body, delivery.is_written, webhook.format, delivery.attempts, webhook.url, webhook.address, webhook.secret,
      delivery.created_at < clock_timestamp() - make_interval(days => ${GIVE_UP_DAYS}) as is_overdue`.execute(
    db,
  )
  return rows
}

/** Keeps the body that every attempt of a delivery sends. Returns it, or the one that somebody else has kept before. */
export async function keepBody(db: Db, deliveryId: string, body: string): Promise<string> {
  const { rows } = await sql<{ body: string }>`
    update runtime.webhook_delivery
    set body = case when is_written then body else ${body} end, is_written = true
    where delivery_id = ${deliveryId}
    returning body`.execute(db)
  return rows[0]?.body ?? body
}

/** Records that the receiver accepted a delivery. */
export async function recordDelivered(tx: Tx, delivery: DueDelivery, status: number): Promise<void> {
  // the webhook first, as in `recordFailed`: two deliveries of one webhook do not deadlock
  await sql`
    update runtime.webhook set failing_since = null
    where webhook_id = ${delivery.webhook_id} and failing_since is not null`.execute(tx)
  await sql`
    update runtime.webhook_delivery
    set state = 'DELIVERED', ended_at = clock_timestamp(), last_status = ${status}, last_error = null
    where delivery_id = ${delivery.delivery_id} and state = 'PENDING'`.execute(tx)
}

/**
 * Records an attempt that failed. The delivery is retried after `delayMs`, or has failed if that is null. A webhook that has
 * failed for days, or whose receiver is gone, is disabled, and its pending deliveries fail.
 */
export async function recordFailed(
  tx: Tx,
  delivery: DueDelivery,
  failure: { status: number | null; error: string | null; delayMs: number | null; isGone: boolean },
): Promise<void> {
  const { status, error, delayMs, isGone } = failure
  await sql`
    update runtime.webhook set failing_since = coalesce(failing_since, clock_timestamp())
    where webhook_id = ${delivery.webhook_id} and enabled`.execute(tx)
  await sql`
    update runtime.webhook_delivery
    set last_status = ${status}, last_error = ${error},
      state = case when ${delayMs}::float8 is null then 'FAILED' else 'PENDING' end,
      ended_at = case when ${delayMs}::float8 is null then clock_timestamp() end,
      available_at = clock_timestamp() + coalesce(${delayMs}::float8, 0) * interval '1 millisecond'
    where delivery_id = ${delivery.delivery_id} and state = 'PENDING'`.execute(tx)
  const { rows: disabled } = await sql`
    update runtime.webhook
    set enabled = false, disabled_because = case when ${isGone} then 'GONE' else 'FAILING' end
    where webhook_id = ${delivery.webhook_id} and enabled and (${isGone} or ${isLong()})
    returning webhook_id`.execute(tx)
  // what is pending for a webhook that a person disabled waits until they enable it again
  if (disabled.length === 0) return
  await sql`
    update runtime.webhook_delivery set state = 'FAILED', ended_at = clock_timestamp()
    where webhook_id = ${delivery.webhook_id} and state = 'PENDING' and event <> 'test'`.execute(tx)
}

const isLong = () =>
  sql`coalesce(failing_since < clock_timestamp() - make_interval(days => ${GIVE_UP_DAYS}), false)`

/**
 * Reports runs that have been retried automatically for longer than a webhook allows, each once; at most 500 in one call.
 * A retry begins when the first attempt of the waiting call in this run has ended: what came before in the run took time,
 * but was not retried. It begins again when a pause ends, and nothing is reported during one.
 */
export async function reportRetrying(db: Db): Promise<void> {
  await sql`
    select runtime.notify_operation('operation.retrying', operation, retrying.since)
    from runtime.operation as operation left join runtime.plugin as plugin on plugin.plugin_id = operation.next_plugin
    cross join lateral (
      select greatest(operation.resumed_at, plugin.resumed_at, coalesce(
        min(coalesce(attempt.finished_at, attempt.started_at)),
        -- it waits for the runtime itself
        operation.run_started_at, operation.started_at)) as since
      from runtime.plugin_call as call join runtime.attempt as attempt
        on attempt.operation_id = call.operation_id and attempt.stage = call.stage
          and attempt.plugin_id = call.plugin_id and attempt.attempt = call.attempts - call.run_attempts + 1
      where call.operation_id = operation.operation_id and call.stage = operation.phase
        and not call.ended_well and call.next_attempt_at is not null
    ) as retrying
    where operation.state = 'WAITING' and not operation.paused and plugin.paused is not true and exists (
      select from runtime.webhook where enabled and 'operation.retrying' = any(events)
    ) and exists (
      select from runtime.webhooks_for('operation.retrying', operation, retrying.since) as webhook
      where not exists (
        select from runtime.webhook_delivery as reported
        where reported.webhook_id = webhook.webhook_id and reported.event = 'operation.retrying'
          and reported.subject = operation.operation_id || '/' || operation.run))
    limit 500`.execute(db)
}

/**
 * Ends deliveries that have waited for a week because a person has disabled their webhook: nobody needs the report of a
 * week ago when it is enabled again.
 */
export async function expireDeliveries(db: Db): Promise<void> {
  await sql`
    update runtime.webhook_delivery as delivery
    set state = 'FAILED', ended_at = clock_timestamp(), last_status = null, last_error = 'expired'
    from runtime.webhook as webhook
    where webhook.webhook_id = delivery.webhook_id and not webhook.enabled
      and delivery.state = 'PENDING' and delivery.event <> 'test'
      and delivery.available_at < clock_timestamp() - make_interval(days => ${EXPIRE_DAYS})`.execute(db)
}

/** Deletes a part of the log that is older than a month. */
export async function deleteOldDeliveries(db: Db): Promise<void> {
  await sql`
    delete from runtime.webhook_delivery where delivery_id in (
      select delivery_id from runtime.webhook_delivery
      where state <> 'PENDING' and ended_at < clock_timestamp() - make_interval(days => ${KEPT_DAYS})
      limit 1000)`.execute(db)
}
