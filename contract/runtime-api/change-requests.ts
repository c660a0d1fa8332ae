import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { isTimeZone } from '#contract/json-schema/time-zone.ts'
import { MessageParameters } from '#contract/protocol/envelope.ts'
import { mapOf, PositiveInteger } from '#contract/protocol/keys.ts'
import { LARGE_BODY_BYTES_MAX, TITLE_MAX } from '#contract/protocol/limits.ts'
import { RESOURCE_ACTIONS, STAGES } from '#contract/protocol/vocabulary.ts'
import { BundleRef, Scope } from '#contract/protocol/scope.ts'
import { NOT_WRAPPED, TypedValue } from '#contract/protocol/typed-value.ts'
import { BatchLimits, BatchPlan, BatchTargets, shownBatch } from './batches.ts'
import {
  Key,
  listOf,
  oneOrMore,
  pageQuery,
  Person,
  plainName,
  plainText,
  PropertyName,
  PropertyView,
  Reason,
  ResourceLocator,
  scopeFilter,
  Timestamp,
  Uuid,
} from './common.ts'
import { KeptSensitive, Plan } from './configuration.ts'
import { Apply } from './managers.ts'
import { OperationPlan, PlanProblem, PlanToken } from './plans.ts'
import { CHANGE_EVENTS, CHANGE_KINDS, CHANGE_STATES, NOTE_MAX } from './vocabulary.ts'

/** Change requests that one person has made and that can still be edited or applied. */
export const LIVE_REQUESTS_MAX = 200
/** In days: how far ahead a change request can be scheduled; the grants of its author are kept until then. */
export const SCHEDULE_DAYS_MAX = 30

/** Changes by locator and property. `isSensitive` without a value keeps the one that the request has, which it never returns. */
const KeptChanges = mapOf(
  ResourceLocator,
  mapOf(PropertyName, z.union([TypedValue, KeptSensitive, z.null()], NOT_WRAPPED)),
)

const CONFIGURE = z.strictObject({
  snapshotVersion: PositiveInteger,
  changes: KeptChanges,
  apply: Apply.optional(),
})
const INSTALL = z.strictObject({
  scope: Scope,
  bundle: BundleRef,
  targetVersion: Key,
  properties: KeptChanges.optional(),
  copyFrom: z.strictObject({ bundleInstallId: Uuid }).optional(),
})
const UPGRADE = z.strictObject({
  bundleInstallId: Uuid,
  targetVersion: Key,
  properties: KeptChanges.optional(),
})
const DETACH = z.strictObject({ bundleInstallId: Uuid })
const TAKEOVER = z.strictObject({ operationId: Uuid, run: z.number().int().positive() })

const UNKNOWN_KIND = 'Must be CONFIGURE, INSTALL, UPGRADE, DETACH, TAKEOVER or BATCH'

const title = plainName(TITLE_MAX)
const described = {
  title,
  reason: Reason.optional(),
  /** Submits it at once. */
  submit: z.boolean().default(false),
}

/** What a request asks for: the input of the ordinary request, without its plan token. */
const MakeBody = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('CONFIGURE'), ...described, scope: Scope, input: CONFIGURE }),
    z.strictObject({ kind: z.literal('INSTALL'), ...described, input: INSTALL }),
    z.strictObject({ kind: z.literal('UPGRADE'), ...described, input: UPGRADE }),
    z.strictObject({ kind: z.literal('DETACH'), ...described, input: DETACH }),
    z.strictObject({ kind: z.literal('TAKEOVER'), ...described, input: TAKEOVER }),
    z.strictObject({ kind: z.literal('BATCH'), ...described, input: BatchTargets }),
  ],
  UNKNOWN_KIND,
)
export type NewChangeRequest = z.output<typeof MakeBody>

const count = z.number().int().nonnegative()

/** When a request is applied: between two moments. The zone is that in which they were chosen, for display. */
const Schedule = z.object({ notBefore: Timestamp, notAfter: Timestamp, timeZone: z.string() })

/** One value of an approved effect that is another one now; null: it was, or is, not changed. */
const Moved = z.object({
  locator: ResourceLocator,
  property: PropertyName,
  seen: z.object({ before: PropertyView.nullable(), after: PropertyView.nullable() }).nullable(),
  now: z.object({ before: PropertyView.nullable(), after: PropertyView.nullable() }).nullable(),
})

const PlannedCall = z.object({ stage: z.enum(STAGES), pluginId: Key, order: z.number().int() })

export const Approval = z.object({
  by: Person,
  at: Timestamp,
  revision: PositiveInteger,
  /** The digest of the effect that was approved. */
  effect: z.string(),
  comment: z.string().optional(),
  /** The effect is another one now, so that it does not count. */
  outdated: z.literal(true).optional(),
  /**
   * What is different, of an outdated one: at most 200 values, and all calls if these differ. A hidden value may differ too. Absent if
   * nothing can be planned any more.
   */
  difference: z
    .object({
      values: z.array(Moved),
      calls: z.object({ seen: z.array(PlannedCall), now: z.array(PlannedCall) }).nullable(),
      resources: z
        .object({
          seen: z.array(z.object({ locator: ResourceLocator, action: z.enum(RESOURCE_ACTIONS) })),
          now: z.array(z.object({ locator: ResourceLocator, action: z.enum(RESOURCE_ACTIONS) })),
        })
        .nullable(),
      /** Of a batch, all of them if one differs. */
      limits: z.object({ seen: BatchLimits, now: BatchLimits }).nullable(),
    })
    .optional(),
})
export type Approval = z.infer<typeof Approval>

/** What happened to a request, or what somebody said about it. */
export const ChangeEntry = z.object({
  number: PositiveInteger,
  at: Timestamp,
  by: Person,
  event: z.enum(CHANGE_EVENTS),
  revision: PositiveInteger,
  text: z.string().nullable(),
  /** The line of the plan that a comment is about. */
  target: z.object({ locator: ResourceLocator, property: PropertyName.optional() }).nullable(),
  /** Of a REBASED: the policy that asks for more approvals since then, and how many. */
  policy: z.object({ environmentKey: Key, approvals: PositiveInteger }).optional(),
})
export type ChangeEntry = z.infer<typeof ChangeEntry>

/** A value that somebody else saved where the request changes it. `theirs` is what is saved now. */
const ChangeConflict = z.object({
  locator: ResourceLocator,
  property: PropertyName,
  base: PropertyView.nullable(),
  theirs: PropertyView.nullable(),
  mine: PropertyView.nullable(),
})

export const ChangeRequest = z.object({
  changeRequestId: Uuid,
  kind: z.enum(CHANGE_KINDS),
  title: z.string(),
  reason: z.string().nullable(),
  /** Null for a BATCH, whose targets may be in several. */
  scope: Scope.nullable(),
  bundleInstallId: Uuid.nullable(),
  state: z.enum(CHANGE_STATES),
  revision: PositiveInteger,
  createdBy: Person,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Timestamp.nullable(),
  /** Approvals of its present effect by people who did not write it. */
  approvals: count,
  approvalsNeeded: count,
  schedule: Schedule.nullable(),
  /** The operations that it started. */
  operations: z.array(Uuid),
  batchId: Uuid.nullable(),
  /** It was applied without the approvals that it needed, or in spite of a freeze. */
  overridden: z.boolean(),
  /** Why it was refused, or has expired; of an applied one, that not everything that it started has succeeded. */
  failure: z
    .object({ errorCode: z.string(), message: z.string(), parameters: MessageParameters.optional() })
    .nullable(),
})
export type ChangeRequest = z.infer<typeof ChangeRequest>

/** The input for display: a sensitive value only as set or not set. */
const ShownInput = z.object({
  snapshotVersion: PositiveInteger.optional(),
  changes: z.record(ResourceLocator, z.record(PropertyName, PropertyView.nullable())).optional(),
  properties: z.record(ResourceLocator, z.record(PropertyName, PropertyView.nullable())).optional(),
  bundle: BundleRef.optional(),
  targetVersion: Key.optional(),
  copyFrom: z.object({ bundleInstallId: Uuid }).optional(),
  operationId: Uuid.optional(),
  run: z.number().int().optional(),
  ...shownBatch,
})
export type ShownInput = z.infer<typeof ShownInput>

const can = z.boolean()

export const ChangeRequestDetail = ChangeRequest.extend({
  /** Everyone who wrote what it asks for, its creator first; absent from the answer of an earlier version. */
  authors: z.array(Person).optional(),
  input: ShownInput,
  approvedBy: z.array(Approval),
  history: z.array(ChangeEntry),
  conflicts: z.array(ChangeConflict),
  /** What the caller may do now, and has not done; `reject` is absent from the answer of an earlier version. */
  may: z.object({ edit: can, approve: can, reject: can.optional(), apply: can, override: can }),
})
export type ChangeRequestDetail = z.infer<typeof ChangeRequestDetail>

/** What applying it would do now; one of the three plans is present if it can be made. */
export const ChangePlan = z.object({
  /** The digest of what would be changed and called; an approval names it. Null if the plan cannot be made. */
  effect: z.string().nullable(),
  planToken: PlanToken.nullable(),
  configuration: Plan.optional(),
  operation: OperationPlan.optional(),
  batch: BatchPlan.optional(),
  problems: z.array(PlanProblem),
})
export type ChangePlan = z.infer<typeof ChangePlan>

const params = z.strictObject({ changeRequestId: Uuid })
const seen = { revision: PositiveInteger }
/** An `input` replaces the whole one, and resolves its conflicts. */
const edited = { ...seen, title: title.optional(), reason: Reason.nullable().optional() }
const EditBody = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('CONFIGURE'), ...edited, input: CONFIGURE.optional() }),
    z.strictObject({ kind: z.literal('INSTALL'), ...edited, input: INSTALL.optional() }),
    z.strictObject({ kind: z.literal('UPGRADE'), ...edited, input: UPGRADE.optional() }),
    z.strictObject({ kind: z.literal('DETACH'), ...edited, input: DETACH.optional() }),
    z.strictObject({ kind: z.literal('TAKEOVER'), ...edited, input: TAKEOVER.optional() }),
    z.strictObject({ kind: z.literal('BATCH'), ...edited, input: BatchTargets.optional() }),
  ],
  UNKNOWN_KIND,
)
const reads = { needs: 'read', where: 'list' } as const
const proposes = { needs: 'change:propose', where: 'anywhere' } as const
const approves = { needs: 'change:approve', where: 'anywhere' } as const
const answer = z.object({ changeRequest: ChangeRequest })
const codes = ['NOT_FOUND', 'CHANGE_REQUEST_STALE', 'CHANGE_REQUEST_STATE', 'IDEMPOTENCY_KEY_REUSED'] as const
/** Of a request that says what to change. */
const givenCodes = [
  'CONFIGURATION_SNAPSHOT_STALE',
  'PROPERTY_PROTECTED',
  'PROPERTY_INVALID',
  'REQUEST_INVALID',
] as const

export const changeRequestEndpoints = defineEndpoints({
  'GET /change-requests': {
    summary: 'Change requests of which the caller may see every scope, newest first',
    access: reads,
    query: z.strictObject({
      state: oneOrMore(CHANGE_STATES).optional(),
      kind: oneOrMore(CHANGE_KINDS).optional(),
      ...scopeFilter,
      bundleInstallId: Uuid.optional(),
      /** The ID of the person who wrote it. */
      author: z.string().max(256).optional(),
      /** Only those that the caller may approve and has not: OPEN, written by others, no approval of the present effect. */
      waiting: z.enum(['me']).optional(),
      ...pageQuery,
    }),
    answer: listOf(ChangeRequest),
    codes: [],
  },
  'GET /change-requests/waiting': {
    summary: 'How many change requests wait for an approval by the caller, at most 100',
    access: reads,
    query: z.strictObject({}),
    answer: z.object({ count }),
    codes: [],
  },
  'POST /change-requests': {
    cost: 'targets',
    summary: 'Propose a change; a draft, or submitted at once',
    audit: 'change.create',
    access: proposes,
    body: MakeBody,
    answer,
    codes: ['NOT_FOUND', ...givenCodes, 'IDEMPOTENCY_KEY_REUSED'],
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'GET /change-requests/{changeRequestId}': {
    cost: 3,
    summary: 'One change request with its approvals, its history and its conflicts',
    access: reads,
    params,
    answer: ChangeRequestDetail,
    codes: ['NOT_FOUND'],
  },
  'PATCH /change-requests/{changeRequestId}': {
    cost: 'targets',
    summary: 'Edit a change request that has not been applied, on top of a revision',
    audit: 'change.edit',
    access: proposes,
    params,
    body: EditBody,
    answer,
    codes: [...codes, ...givenCodes],
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'GET /change-requests/{changeRequestId}/plan': {
    cost: 3,
    summary: 'What applying a change request would do now',
    access: reads,
    params,
    answer: ChangePlan,
    codes: ['NOT_FOUND'],
  },
  'POST /change-requests/{changeRequestId}/submit': {
    cost: 3,
    summary: 'Ask for approvals of a draft',
    audit: 'change.submit',
    access: proposes,
    params,
    body: z.strictObject(seen),
    answer,
    codes,
  },
  'POST /change-requests/{changeRequestId}/approve': {
    cost: 3,
    summary: 'Approve the effect that the caller saw in the plan; not for those who wrote it',
    audit: 'change.approve',
    access: approves,
    params,
    body: z.strictObject({
      ...seen,
      effect: z.string().min(1).max(128),
      comment: plainText(NOTE_MAX).optional(),
    }),
    answer,
    codes: [...codes, 'PLAN_STALE'],
  },
  'POST /change-requests/{changeRequestId}/reject': {
    cost: 3,
    summary: 'Reject a change request, with the reason',
    audit: 'change.reject',
    access: approves,
    params,
    body: z.strictObject({ ...seen, comment: plainText(NOTE_MAX) }),
    answer,
    codes,
  },
  'POST /change-requests/{changeRequestId}/withdraw': {
    cost: 3,
    summary: 'Withdraw a change request that has not been applied',
    audit: 'change.withdraw',
    access: proposes,
    params,
    body: z.strictObject({ ...seen, comment: plainText(NOTE_MAX).optional() }),
    answer,
    codes,
  },
  'POST /change-requests/{changeRequestId}/rebase': {
    cost: 3,
    summary: 'Merge a change request with what has been saved since, leaf by leaf',
    audit: 'change.rebase',
    access: proposes,
    params,
    body: z.strictObject(seen),
    answer,
    codes,
  },
  'POST /change-requests/{changeRequestId}/apply': {
    cost: 3,
    summary: 'Apply a change request once, by the ordinary request with the token of its plan',
    audit: 'change.apply',
    access: reads,
    params,
    body: z.strictObject({
      ...seen,
      planToken: PlanToken,
      /** Without the approvals that it needs, and in spite of a freeze: needs change:override, a recent sign-in and a reason. */
      override: z.boolean().default(false),
      reason: Reason.optional(),
    }),
    answer,
    codes: [
      ...codes,
      'APPROVAL_REQUIRED',
      'CHANGES_FROZEN',
      'PLAN_STALE',
      'CONFIGURATION_SNAPSHOT_STALE',
      'RESOURCE_OWNERSHIP_MISSING',
      'PROPERTY_PROTECTED',
      'PROPERTY_MANAGED',
      'PROPERTY_INVALID',
      'REFERENCE_TARGET_UNAVAILABLE',
      'MANIFEST_INVALID',
      'OPERATION_IN_PROGRESS',
      'OPERATION_CLAIM_HELD',
      'INSTALLATION_EXISTS',
      'INSTALLATION_NOT_ACTIVE',
      'TAKEOVER_NOT_ALLOWED',
      'NUMBERS_USED_UP',
      'PLUGIN_NOT_CHECKED',
      'PLUGIN_RETIRED',
      'RECENT_SIGN_IN_REQUIRED',
    ],
    recentSignIn: 'takeovers',
  },
  'POST /change-requests/{changeRequestId}/schedule': {
    cost: 3,
    summary: 'Apply a change request between two moments, once it has its approvals',
    audit: 'change.schedule',
    access: proposes,
    params,
    body: z.strictObject({
      ...seen,
      notBefore: Timestamp,
      notAfter: Timestamp,
      timeZone: z
        .string()
        .max(64)
        .refine(isTimeZone, 'Must be a name of the IANA time zone database, such as Europe/Berlin'),
    }),
    answer,
    codes: [...codes, 'REQUEST_INVALID', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'takeovers',
  },
  'POST /change-requests/{changeRequestId}/unschedule': {
    cost: 3,
    summary: 'Remove the schedule of a change request',
    audit: 'change.unschedule',
    access: proposes,
    params,
    body: z.strictObject(seen),
    answer,
    codes,
  },
  'POST /change-requests/{changeRequestId}/comments': {
    summary: 'Say something about a change request, or about a line of its plan',
    audit: 'change.comment',
    access: proposes,
    params,
    body: z.strictObject({
      text: plainText(NOTE_MAX),
      target: z.strictObject({ locator: ResourceLocator, property: PropertyName.optional() }).optional(),
    }),
    answer: z.object({ entry: ChangeEntry }),
    codes: ['NOT_FOUND', 'CHANGE_REQUEST_STATE', 'IDEMPOTENCY_KEY_REUSED'],
  },
})
