import { randomBytes } from 'node:crypto'
import { uuidv7 } from '#http-kit/random.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { WebhookFormat } from '#contract/runtime-api/vocabulary.ts'
import type { Webhook, WebhookDelivery } from '#contract/runtime-api/webhooks.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Tx } from '../../model/db.ts'
import { webhookPlace } from '../../sealing/places.ts'
import { opening } from '../../sealing/sealed-value.ts'
import { openAddress, sealedAddress, shownAddress } from '../../sealing/webhook-address.ts'
import {
  deleteWebhook,
  insertTest,
  insertWebhook,
  listDeliveryRows,
  lockWebhooks,
  selectWebhooks,
  updateWebhook,
} from '../../store/webhooks/webhooks.ts'
import type { DeliveryRow, WebhookRow, WebhookSettings } from '../../store/webhooks/webhooks.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import type { Fields } from '../audit/record.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf } from '../paging.ts'
import { requireReachable } from '../registry/registration.ts'
import type { Egress } from '../registry/registration.ts'

const WEBHOOKS_MAX = 100
const SECRET_BYTES = 32

/** All webhooks, oldest first. */
export async function listWebhooks({ deps }: ReadContext): Promise<Answer<'GET /webhooks'>> {
  return { items: (await selectWebhooks(deps.db)).map(webhookView), nextCursor: null }
}

/** Creates a webhook. Its secret is returned here and never again. */
export async function createWebhook(
  { deps, tx, actor }: WriteContext,
  { body }: Input<'POST /webhooks'>,
  egress: Egress,
): Promise<Answer<'POST /webhooks'>> {
  requireReachable(egress, body.url, 'url')
  if ((await lockWebhooks(tx)) >= WEBHOOKS_MAX)
    throw new DomainError(
      'REQUEST_INVALID',
      `There are ${WEBHOOKS_MAX} webhooks already. Delete one before you create another.`,
    )
  const webhookId = uuidv7(deps)
  const secret = randomBytes(SECRET_BYTES)
  const settings = settingsOf(body, 'STANDARD')
  const address = sealedAddress(deps.vault, webhookId, body.url)
  await insertWebhook(tx, {
    ...settings,
    ...address,
    webhook_id: webhookId,
    secret: deps.vault.seal(secret, webhookPlace(webhookId)),
  })
  await recordAudit(tx, actor, {
    action: 'webhook.create',
    subject: `${body.title} ${webhookId}`,
    reason: body.reason ?? null,
    changes: fieldChanges(null, fieldsOf({ ...settings, url: address.url, enabled: true })),
  })
  return {
    webhook: webhookView(await requireWebhook(tx, webhookId)),
    secret: `whsec_${secret.toString('base64')}`,
  }
}

/**
 * Changes a webhook; without an address, or with the one that is shown, it keeps its own. Refuses with NOT_FOUND, with
 * WEBHOOK_STALE if it is not the one that the caller saw, and an address that the deployment does not allow; a disabled
 * webhook may keep its address.
 */
export async function saveWebhook(
  { deps: { vault }, tx, actor }: WriteContext,
  { params: { webhookId }, body }: Input<'PUT /webhooks/{webhookId}'>,
  egress: Egress,
): Promise<Answer<'PUT /webhooks/{webhookId}'>> {
  await lockWebhooks(tx)
  const before = await requireWebhook(tx, webhookId)
  if (body.expected !== undefined && body.expected !== before.updated_at)
    throw new DomainError('WEBHOOK_STALE', platformMessage('webhookStale'))
  const after = { ...settingsOf(body, before.format), enabled: body.enabled ?? before.enabled }
  const current = await opening(vault, tx, () => openAddress(vault, before))
  const shown = shownAddress(current)
  // a client that sends back what it read changes nothing
  const url = body.url === undefined || body.url === new URL(shown).href ? current : body.url
  const isMoved = url !== current
  if (after.enabled || isMoved) requireReachable(egress, url, 'url')
  const address = isMoved ? sealedAddress(vault, webhookId, url) : null
  await updateWebhook(tx, webhookId, after, address)
  await recordAudit(tx, actor, {
    action: 'webhook.save',
    subject: `${body.title} ${webhookId}`,
    reason: body.reason ?? null,
    changes: fieldChanges(
      fieldsOf({ ...before, url: shown }),
      fieldsOf({ ...after, url: movedTo(shown, address) }),
    ),
  })
  return webhookView(await requireWebhook(tx, webhookId))
}

/** Deletes a webhook with its log. Refuses with NOT_FOUND. */
export async function removeWebhook(
  { tx, actor }: WriteContext,
  { params: { webhookId } }: Input<'DELETE /webhooks/{webhookId}'>,
): Promise<Answer<'DELETE /webhooks/{webhookId}'>> {
  await lockWebhooks(tx)
  const before = await requireWebhook(tx, webhookId)
  await deleteWebhook(tx, webhookId)
  await recordAudit(tx, actor, {
    action: 'webhook.delete',
    subject: `${before.title} ${webhookId}`,
    changes: fieldChanges(fieldsOf({ ...before, url: shownUrl(before) }), {}),
  })
  return { webhookId }
}

/** Adds a test notification to the outbox. Refuses with NOT_FOUND. */
export async function testWebhook(
  { deps, tx, actor }: WriteContext,
  { params: { webhookId } }: Input<'POST /webhooks/{webhookId}/test'>,
): Promise<Answer<'POST /webhooks/{webhookId}/test'>> {
  const { title } = await requireWebhook(tx, webhookId)
  const deliveryId = uuidv7(deps)
  await insertTest(tx, webhookId, deliveryId)
  await recordAudit(tx, actor, { action: 'webhook.test', subject: `${title} ${webhookId}` })
  return { deliveryId }
}

/** The log of a webhook, newest first. Refuses with NOT_FOUND. */
export async function listDeliveries(
  { deps }: ReadContext,
  { params: { webhookId }, query }: Input<'GET /webhooks/{webhookId}/deliveries'>,
): Promise<Answer<'GET /webhooks/{webhookId}/deliveries'>> {
  const [row] = await selectWebhooks(deps.db, webhookId)
  if (row === undefined) throw notFound('webhook')
  const values = cursorValues(query.cursor, ['number', 'string'])
  const rows = await listDeliveryRows(deps.db, webhookId, {
    after: values && { microseconds: cursorInteger(values[0]), deliveryId: cursorUuid(values[1]) },
    limit: query.limit + 1,
  })
  return pageOf(rows, query.limit, {
    item: deliveryView,
    valuesOf: (delivery) => [delivery.created_microseconds, delivery.delivery_id],
  })
}

async function requireWebhook(tx: Tx, webhookId: string): Promise<WebhookRow> {
  const [row] = await selectWebhooks(tx, webhookId)
  if (row === undefined) throw notFound('webhook')
  return row
}

function settingsOf(
  body: Input<'PUT /webhooks/{webhookId}'>['body'],
  format: WebhookFormat,
): WebhookSettings {
  const { scope } = body
  return {
    title: body.title,
    events: [...new Set(body.events)],
    environment_key: scope?.environmentKey ?? null,
    application_runtime_id: scope !== null && 'workspaceId' in scope ? scope.applicationRuntimeId : null,
    workspace_id: scope !== null && 'workspaceId' in scope ? scope.workspaceId : null,
    retrying_after_minutes: body.retryingAfterMinutes,
    format: body.format ?? format,
  }
}

function fieldsOf(row: WebhookSettings & { url: string; enabled: boolean }): Fields {
  return {
    title: row.title,
    url: row.url,
    events: row.events.join(', '),
    environmentKey: row.environment_key,
    applicationRuntimeId: row.application_runtime_id,
    workspaceId: row.workspace_id,
    retryingAfterMinutes: row.retrying_after_minutes,
    format: row.format,
    enabled: row.enabled,
  }
}

/** An earlier version has written the whole address. */
const shownUrl = ({ url, address }: WebhookRow): string => (address === null ? shownAddress(url) : url)

/** The address after a save, for the audit: another one may look the same. */
function movedTo(shown: string, moved: { url: string } | null): string {
  if (moved === null) return shown
  return moved.url === shown ? `${shown} (replaced)` : moved.url
}

function webhookView(row: WebhookRow): Webhook {
  const { environment_key, application_runtime_id, workspace_id } = row
  const place =
    environment_key === null
      ? null
      : application_runtime_id === null || workspace_id === null
        ? { environmentKey: environment_key }
        : {
            environmentKey: environment_key,
            applicationRuntimeId: application_runtime_id,
            workspaceId: workspace_id,
          }
  return {
    webhookId: row.webhook_id,
    title: row.title,
    url: shownUrl(row),
    events: row.events,
    scope: place,
    retryingAfterMinutes: row.retrying_after_minutes,
    format: row.format,
    enabled: row.enabled,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    failingSince: row.failing_since,
    disabledBecause: row.disabled_because,
    pending: row.pending,
  }
}

function deliveryView(row: DeliveryRow): WebhookDelivery {
  return {
    deliveryId: row.delivery_id,
    event: row.event,
    operationId: row.operation_id,
    batchId: row.batch_id,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: row.state === 'PENDING' ? row.available_at : null,
    lastStatus: row.last_status,
    lastError: row.last_error,
  }
}
