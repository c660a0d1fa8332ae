import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key, WorkspaceId } from '#contract/protocol/keys.ts'
import { listOf, pageQuery, plainName, Reason, Timestamp, Uuid } from './common.ts'
import { Address } from './plugins.ts'
import { DELIVERY_STATES, NOTIFICATION_EVENTS, RETRYING_AFTER_MAX, WEBHOOK_FORMATS } from './vocabulary.ts'

/** What a webhook reports: everything, one environment, or one scope. */
const WebhookScope = z
  .union(
    [
      z.strictObject({ environmentKey: Key, applicationRuntimeId: Key, workspaceId: WorkspaceId }),
      z.strictObject({ environmentKey: Key }),
    ],
    'Must be null, an environment, or a scope, each named by its keys',
  )
  .nullable()

const settings = {
  title: plainName(200),
  events: z.array(z.enum(NOTIFICATION_EVENTS)).min(1, 'Choose at least one').max(NOTIFICATION_EVENTS.length),
  scope: WebhookScope,
  /** How long an operation is retried automatically before that is reported. */
  retryingAfterMinutes: z.number().int().min(1).max(RETRYING_AFTER_MAX),
}

/** The form of what is sent. Without it, a new webhook is STANDARD, and another one stays as it is. */
const format = z.enum(WEBHOOK_FORMATS).optional()

export const Webhook = z.object({
  ...settings,
  /** What is shown of the address, which may contain a secret: its origin, and the last four characters of a long path. */
  url: z.string(),
  /** The form of what is sent. */
  format: z.enum(WEBHOOK_FORMATS),
  webhookId: Uuid,
  enabled: z.boolean(),
  createdAt: Timestamp,
  /** When a person last saved it. */
  updatedAt: Timestamp,
  /** Since when no delivery has succeeded. */
  failingSince: Timestamp.nullable(),
  /** Why the platform disabled it: no delivery succeeded for days, or the receiver returned HTTP 410. */
  disabledBecause: z.enum(['FAILING', 'GONE']).nullable(),
  /** Deliveries that are not sent yet. */
  pending: z.number().int().nonnegative(),
})
export type Webhook = z.infer<typeof Webhook>

/** One notification to one webhook. `deliveryId` is the header webhook-id, the same for every attempt. */
export const WebhookDelivery = z.object({
  deliveryId: Uuid,
  event: z.enum([...NOTIFICATION_EVENTS, 'test']),
  operationId: Uuid.nullable(),
  batchId: Uuid.nullable(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number().int().nonnegative(),
  createdAt: Timestamp,
  /** When it is sent next; null if it has ended. */
  nextAttemptAt: Timestamp.nullable(),
  /** The result of the last attempt: an HTTP status, or why there was no response. */
  lastStatus: z.number().int().nullable(),
  lastError: z.string().nullable(),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

const params = z.strictObject({ webhookId: Uuid })

export const webhookEndpoints = defineEndpoints({
  'GET /webhooks': {
    summary: 'The webhooks that report operations and batches',
    access: { needs: 'notification:write', where: 'everywhere' },
    query: z.strictObject({}),
    answer: listOf(Webhook),
    codes: [],
  },
  'POST /webhooks': {
    summary: 'Create a webhook; the secret of its signatures is returned only once',
    audit: 'webhook.create',
    access: { needs: 'notification:write', where: 'everywhere' },
    body: z.strictObject({ ...settings, url: Address, format, reason: Reason.optional() }),
    answer: z.object({ webhook: Webhook, secret: z.string().nullable() }),
    shownOnce: ['secret'],
    codes: ['REQUEST_INVALID', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'PUT /webhooks/{webhookId}': {
    summary: 'Change, enable or disable a webhook; its secret stays',
    audit: 'webhook.save',
    access: { needs: 'notification:write', where: 'everywhere' },
    params,
    // without `enabled` it stays as it is: the platform may have disabled it in the meantime
    body: z.strictObject({
      ...settings,
      /** Without it, or as it was returned, the address stays as it is. */
      url: Address.optional(),
      format,
      enabled: z.boolean().optional(),
      /** `updatedAt` of the webhook that the caller saw. Without it, the settings are replaced, whatever they are. */
      expected: Timestamp.optional(),
      reason: Reason.optional(),
    }),
    answer: Webhook,
    codes: ['NOT_FOUND', 'WEBHOOK_STALE', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'DELETE /webhooks/{webhookId}': {
    summary: 'Delete a webhook with its log',
    audit: 'webhook.delete',
    access: { needs: 'notification:write', where: 'everywhere' },
    params,
    answer: z.object({ webhookId: Uuid }),
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'POST /webhooks/{webhookId}/test': {
    cost: 5,
    summary: 'Send a test notification, also while the webhook is disabled',
    audit: 'webhook.test',
    access: { needs: 'notification:write', where: 'everywhere' },
    params,
    body: z.strictObject({}),
    answer: z.object({ deliveryId: Uuid }),
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'GET /webhooks/{webhookId}/deliveries': {
    summary: 'What was sent to a webhook, newest first',
    access: { needs: 'notification:write', where: 'everywhere' },
    params,
    query: z.strictObject(pageQuery),
    answer: listOf(WebhookDelivery),
    codes: ['NOT_FOUND'],
  },
})
