import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { DeliveryState } from '#contract/runtime-api/vocabulary.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { WebhookDeliveryTable, WebhookTable } from '../../model/webhook-tables.ts'
import { instantAt, microsecondsOf } from '../instants.ts'

export type WebhookRow = Omit<Selectable<WebhookTable>, 'secret'> & { pending: number }
export type WebhookSettings = Pick<
  WebhookRow,
  | 'title'
  | 'events'
  | 'environment_key'
  | 'application_runtime_id'
  | 'workspace_id'
  | 'retrying_after_minutes'
  | 'format'
>

/** An address as it is shown, and sealed. */
export interface WebhookAddress {
  url: string
  address: Buffer
}

/** Returns all webhooks, or the one with this id, oldest first. */
export async function selectWebhooks(db: Db, webhookId: string | null = null): Promise<WebhookRow[]> {
  const { rows } = await sql<WebhookRow>`
    select webhook_id, title, url, address, events, environment_key, application_runtime_id, workspace_id,
      retrying_after_minutes, format, enabled, created_at, updated_at, failing_since, disabled_because,
      (select count(*) from runtime.webhook_delivery as delivery
        where delivery.webhook_id = webhook.webhook_id and delivery.state = 'PENDING') as pending
    from runtime.webhook as webhook
    where ${webhookId === null ? sql`true` : sql`webhook_id = ${webhookId}::uuid`}
    order by created_at, webhook_id`.execute(db)
  return rows
}

/** Locks all webhooks against other changes, and counts them. */
export async function lockWebhooks(tx: Tx): Promise<number> {
  await sql`lock table runtime.webhook in share row exclusive mode`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) from runtime.webhook`.execute(tx)
  return rows[0]?.count ?? 0
}

export async function insertWebhook(
  tx: Tx,
  row: WebhookSettings & WebhookAddress & { webhook_id: string; secret: Buffer },
): Promise<void> {
  await tx
    .insertInto('runtime.webhook')
    .values({ ...row, enabled: true })
    .execute()
}

/**
 * Changes a webhook; without an address, it keeps its own. One that is enabled again, or has another address, starts without
 * its past failures.
 */
export async function updateWebhook(
  tx: Tx,
  webhookId: string,
  row: WebhookSettings & { enabled: boolean },
  address: WebhookAddress | null,
): Promise<void> {
  await tx
    .updateTable('runtime.webhook')
    // an edit of a webhook that stays disabled keeps the reason
    .set({
      ...row,
      ...address,
      updated_at: sql<string>`clock_timestamp()`,
      disabled_because: sql`case when not enabled and not ${row.enabled}::boolean then disabled_because end`,
      failing_since: sql`case when ${address === null} and (enabled or not ${row.enabled}::boolean) then failing_since end`,
    })
    .where('webhook_id', '=', webhookId)
    .execute()
}

export async function deleteWebhook(tx: Tx, webhookId: string): Promise<void> {
  await tx.deleteFrom('runtime.webhook').where('webhook_id', '=', webhookId).execute()
}

/** Adds a test notification to the outbox. */
export async function insertTest(tx: Tx, webhookId: string, deliveryId: string): Promise<void> {
  await sql`
    insert into runtime.webhook_delivery (delivery_id, webhook_id, event, subject, body)
    values (${deliveryId}, ${webhookId}, 'test', ${deliveryId}, runtime.notification_body('test', '{}'))`.execute(
    tx,
  )
}

export interface DeliveryRow {
  delivery_id: string
  event: WebhookDeliveryTable['event']
  operation_id: string | null
  batch_id: string | null
  state: DeliveryState
  attempts: number
  created_at: string
  created_microseconds: number
  available_at: string
  last_status: number | null
  last_error: string | null
}

/** Returns the deliveries of a webhook, newest first. */
export async function listDeliveryRows(
  db: Db,
  webhookId: string,
  { after, limit }: { after: { microseconds: number; deliveryId: string } | null; limit: number },
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select delivery_id, event, operation_id, batch_id, state, attempts, created_at, available_at, last_status,
      last_error, ${microsecondsOf('created_at')} as created_microseconds
    from runtime.webhook_delivery
    where webhook_id = ${webhookId}
      and ${after === null ? sql`true` : sql`(created_at, delivery_id) < (${instantAt(after.microseconds)}, ${after.deliveryId}::uuid)`}
    order by created_at desc, delivery_id desc
    limit ${limit}`.execute(db)
  return rows
}
