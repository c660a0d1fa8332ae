import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import { Batch } from './batches.ts'
import { CauseId, CauseName } from './causes.ts'
import { ChangeRequest } from './change-requests.ts'
import { listOf, pageQuery, Person, Timestamp, Uuid } from './common.ts'
import { Operation } from './operations.ts'
import { CHANGE_STATES, ESCALATE_AFTER_MAX, INBOX_EVENTS, INBOX_REASONS, INBOX_VIEWS } from './vocabulary.ts'

/**
 * A notification in the inbox of the caller. It names what happened; the operation, batch, cause or change request is
 * as it is now. One about the escalations of the caller has none of them.
 */
export const InboxNotification = z.object({
  notificationId: Uuid,
  event: z.enum(INBOX_EVENTS),
  /** Why the caller is notified. */
  because: z.enum(INBOX_REASONS),
  at: Timestamp,
  /** Who did it, if a person did. */
  by: Person.nullable(),
  readAt: Timestamp.nullable(),
  /** Until then it is neither unread nor in the list of all; then it is unread again. */
  snoozedUntil: Timestamp.nullable(),
  operation: Operation.nullable(),
  batch: Batch.nullable(),
  /** That of `cause.solved`. */
  cause: CauseName.nullable(),
  /** That of the events of change requests. */
  changeRequest: z
    .object({
      changeRequestId: Uuid,
      title: z.string(),
      state: z.enum(CHANGE_STATES),
      /** As of the request; absent from the answer of an earlier version. */
      failure: ChangeRequest.shape.failure.optional(),
      scope: Scope.nullable(),
      /** What the person said who rejected, approved or commented; absent otherwise. */
      text: z.string().optional(),
    })
    .nullable(),
})
export type InboxNotification = z.infer<typeof InboxNotification>

/** What a person follows. Others may be added: a reader ignores kinds that it does not know. */
export const FollowSubject = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('operation'), operationId: Uuid }),
    z.strictObject({ kind: z.literal('installation'), bundleInstallId: Uuid }),
    z.strictObject({ kind: z.literal('scope'), scope: Scope }),
    z.strictObject({ kind: z.literal('cause'), causeId: CauseId }),
  ],
  { error: 'Must be an operation, an installation, a scope or a cause' },
)
export type FollowSubject = z.infer<typeof FollowSubject>

export const Follow = z.object({
  followId: Uuid,
  subject: FollowSubject,
  /** The title of the installation, also of an operation; null of a scope and a cause. */
  title: z.string().nullable(),
  /** What the operation does; null of anything else. */
  operationType: z.enum(OPERATION_TYPES).nullable(),
  /** Null of a cause, which may be in many. */
  scope: Scope.nullable(),
  /** Null unless a cause is followed. */
  cause: CauseName.nullable(),
  createdAt: Timestamp,
  /** How long a failure may have no assignee, in minutes, before `escalateTo` is notified; null for any time. */
  escalateAfterMinutes: z.number().int().min(1).max(ESCALATE_AFTER_MAX).nullable(),
  /** Empty: the follower is notified again. */
  escalateTo: z.array(Person),
  /** When the escalation ends unless the follower saves it again; past if it has ended, null if there is none. */
  escalatesUntil: Timestamp.nullable(),
})
export type Follow = z.infer<typeof Follow>

const notificationIds = z.array(Uuid).min(1).max(200)
const followParams = z.strictObject({ followId: Uuid })

/** What concerns the caller. Everything here is the caller’s own, so that nobody else can read or change it. */
export const inboxEndpoints = defineEndpoints({
  'GET /inbox': {
    summary: 'The notifications of the caller, newest first',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({ ...pageQuery, view: z.enum(INBOX_VIEWS).default('all') }),
    answer: listOf(InboxNotification),
    codes: [],
  },
  'GET /inbox/unread': {
    summary: 'How many notifications the caller has not read, up to 100',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({}),
    answer: z.object({ unread: z.number().int().min(0).max(100) }),
    codes: [],
  },
  'POST /inbox/mark': {
    summary: 'Mark notifications as read or unread; all that came until a time, or those that are named',
    access: { needs: 'read', where: 'list' },
    ownState: true,
    body: z
      .strictObject({
        notificationIds: notificationIds.optional(),
        until: Timestamp.optional(),
        read: z.boolean(),
      })
      .refine(({ notificationIds: ids, until }) => (ids === undefined) !== (until === undefined), {
        path: ['notificationIds'],
        message: 'Must be given, or `until`, and not both',
      }),
    answer: z.object({ marked: z.number().int().nonnegative() }),
    codes: [],
  },
  'POST /inbox/snooze': {
    summary: 'Set notifications aside until a time; null brings them back',
    access: { needs: 'read', where: 'list' },
    ownState: true,
    body: z.strictObject({ notificationIds, until: Timestamp.nullable() }),
    answer: z.object({ snoozed: z.number().int().nonnegative() }),
    codes: [],
  },
  'GET /follows': {
    summary: 'What the caller follows, newest first, at most 200',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({}),
    answer: listOf(Follow),
    codes: [],
  },
  'PUT /follows': {
    summary: 'Follow an operation, an installation, a scope or a cause, or change for whom it escalates',
    access: { needs: 'read', where: 'list' },
    ownState: true,
    body: z.strictObject({
      subject: FollowSubject,
      escalateAfterMinutes: Follow.shape.escalateAfterMinutes.default(null),
      /** Other people than the caller need `operation:annotate` there, as an assignment does. */
      escalateTo: z.array(z.string().max(256)).max(20).default([]),
    }),
    answer: Follow,
    codes: ['NOT_FOUND'],
  },
  'DELETE /follows/{followId}': {
    summary: 'Follow something no longer',
    access: { needs: 'read', where: 'list' },
    ownState: true,
    params: followParams,
    answer: z.object({ followId: Uuid }),
    codes: ['NOT_FOUND'],
  },
})
