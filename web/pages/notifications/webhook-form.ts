import * as z from 'zod/mini'
import type { GrantScope } from '#contract/endpoint/permission.ts'
import type { Webhook } from '#contract/console-api/shapes.ts'
import {
  NOTIFICATION_EVENTS,
  RETRYING_AFTER_MAX,
  WEBHOOK_FORMATS,
  type NotificationEvent,
} from '#contract/console-api/vocabulary.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { isAddress } from '../../forms/fields/address.ts'
import { isWorkspaceId, scopeText } from '../../subjects/scopes/scope-text.ts'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import { joinList } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** Field names must not contain dots. */
export const EVENT_FIELDS = {
  'operation.failed': 'failed',
  'operation.in_doubt': 'inDoubt',
  'operation.retrying': 'retrying',
  'operation.taken_over': 'takenOver',
  'batch.finished': 'batchFinished',
  'change.requested': 'changeRequested',
  'change.approved': 'changeApproved',
  'change.rejected': 'changeRejected',
  'change.conflicted': 'changeConflicted',
  'change.applied': 'changeApplied',
  'change.expired': 'changeExpired',
  'change.overridden': 'changeOverridden',
} as const satisfies Record<NotificationEvent, string>

/** The form's values; numbers are stored as typed. */
export const webhookSchema = (t: Translate, webhook: Webhook | null) => {
  const key = z.string().check(z.refine((text) => text === '' || isKey(text), t('notifications.form.key')))
  return z
    .object({
      title: z.string().check(z.refine((text) => text.trim() !== '', t('notifications.form.missing'))),
      url: z
        .string()
        .check(
          z.refine(
            (text) => isAddress(text) || (webhook !== null && text === ''),
            t('notifications.form.url.invalid'),
          ),
        ),
      failed: z.boolean(),
      inDoubt: z.boolean(),
      retrying: z.boolean(),
      takenOver: z.boolean(),
      batchFinished: z.boolean(),
      changeRequested: z.boolean(),
      changeApproved: z.boolean(),
      changeRejected: z.boolean(),
      changeConflicted: z.boolean(),
      changeApplied: z.boolean(),
      changeExpired: z.boolean(),
      changeOverridden: z.boolean(),
      retryingAfterMinutes: z.string().check(
        z.refine((text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= RETRYING_AFTER_MAX, {
          error: t('notifications.form.minutes.invalid', { max: RETRYING_AFTER_MAX }),
        }),
      ),
      environmentKey: key,
      applicationRuntimeId: key,
      workspaceId: z
        .string()
        .check(z.refine((text) => text === '' || isWorkspaceId(text), t('notifications.form.workspace'))),
      format: z.enum(WEBHOOK_FORMATS),
      enabled: z.boolean(),
      reason: z.string(),
    })
    .check(
      z.refine((form) => (form.applicationRuntimeId === '') === (form.workspaceId === ''), {
        path: ['workspaceId'],
        error: t('notifications.form.scope.both'),
      }),
      z.refine((form) => form.environmentKey !== '' || form.applicationRuntimeId === '', {
        path: ['environmentKey'],
        error: t('notifications.form.missing'),
      }),
      z.refine((form) => NOTIFICATION_EVENTS.some((event) => form[EVENT_FIELDS[event]]), {
        path: [EVENT_FIELDS['operation.failed']],
        error: t('notifications.form.events.none'),
      }),
    )
}
export type WebhookForm = z.infer<ReturnType<typeof webhookSchema>>

export function webhookFormOf(webhook: Webhook | null): WebhookForm {
  const reports = (event: NotificationEvent) => webhook === null || webhook.events.includes(event)
  const workspace = workspaceOf(webhook?.scope ?? null)
  return {
    title: webhook?.title ?? '',
    // the address cannot be read back
    url: '',
    failed: reports('operation.failed'),
    inDoubt: reports('operation.in_doubt'),
    retrying: reports('operation.retrying'),
    takenOver: reports('operation.taken_over'),
    batchFinished: reports('batch.finished'),
    changeRequested: reports('change.requested'),
    changeApproved: reports('change.approved'),
    changeRejected: reports('change.rejected'),
    changeConflicted: reports('change.conflicted'),
    changeApplied: reports('change.applied'),
    changeExpired: reports('change.expired'),
    changeOverridden: reports('change.overridden'),
    retryingAfterMinutes: String(webhook?.retryingAfterMinutes ?? 30),
    environmentKey: webhook?.scope?.environmentKey ?? '',
    applicationRuntimeId: workspace?.applicationRuntimeId ?? '',
    workspaceId: workspace === null ? '' : String(workspace.workspaceId),
    format: webhook?.format ?? 'STANDARD',
    enabled: webhook?.enabled ?? true,
    reason: '',
  }
}

const workspaceOf = (scope: GrantScope) => (scope !== null && 'applicationRuntimeId' in scope ? scope : null)

/** What a new webhook and a change have in common; the address and `enabled` are not. */
export function webhookBodyOf(form: WebhookForm) {
  const { environmentKey, applicationRuntimeId, workspaceId, reason } = form
  const scope =
    environmentKey === ''
      ? null
      : applicationRuntimeId === ''
        ? { environmentKey }
        : { environmentKey, applicationRuntimeId, workspaceId: Number(workspaceId) }
  return {
    title: form.title.trim(),
    events: NOTIFICATION_EVENTS.filter((event) => form[EVENT_FIELDS[event]]),
    scope,
    retryingAfterMinutes: Number(form.retryingAfterMinutes),
    format: form.format,
    ...reasonIn({ reason }),
  }
}

export function coverageText({ scope }: Webhook, t: Translate): string {
  if (scope === null) return t('notifications.scope.all')
  return 'applicationRuntimeId' in scope ? scopeText(scope) : scope.environmentKey
}

export const eventsText = ({ events }: Webhook, t: Translate): string =>
  joinList(
    t,
    events.map((event) => t(`notifications.event.${event}`)),
  )
