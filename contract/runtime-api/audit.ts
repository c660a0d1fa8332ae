import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { ERROR_CODE_MAX } from '#contract/protocol/limits.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { listOf, pageQuery, Person, PropertyChange, ResourceLocator, Timestamp, Uuid } from './common.ts'
import { Manager } from './managers.ts'
import { AUDIT_ACTIONS } from './vocabulary.ts'

/** One field before and after; `locator` is null if the field belongs to the subject itself and not to a resource. */
export const AuditChange = PropertyChange.extend({
  locator: ResourceLocator.nullable(),
  property: z.string(),
  /** The manager since this change, if a declarative apply made it. */
  managedBy: Manager.optional(),
  /** From whom the apply took the property over, and why. */
  takenOver: z.object({ from: Manager, reason: z.string() }).optional(),
})
export type AuditChange = z.infer<typeof AuditChange>

/** How often and when the console recorded an event; repetitions within a minute share one entry. */
export const Occurrences = z.object({
  count: z.number().int().positive(),
  firstAt: Timestamp,
  lastAt: Timestamp,
})
export type Occurrences = z.infer<typeof Occurrences>

export const AuditEntry = z.object({
  sequence: z.number().int().positive(),
  /** When it was recorded. Entries are listed by `occurrences.firstAt`, or else by this time. */
  at: Timestamp,
  /** `issuer` is the identity provider that authenticated the person; null if unknown. */
  actor: Person.extend({ issuer: z.string().nullable().default(null) }),
  clientAddress: z.string().nullable().default(null),
  action: z.enum(AUDIT_ACTIONS),
  /** The subject in words: a bundle version, a plugin, a service, a scope. */
  subject: z.string(),
  scope: Scope.nullable(),
  bundleInstallId: Uuid.nullable(),
  operationId: Uuid.nullable(),
  reason: z.string().nullable(),
  changes: z.array(AuditChange),
  outcome: z.enum(['DONE', 'REFUSED']),
  /** Why it was rejected. */
  errorCode: z.string().nullable().default(null),
  requestId: z.string(),
  occurrences: Occurrences.nullable().default(null),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const auditEndpoints = defineEndpoints({
  'GET /audit': {
    summary: 'Who did what, when and why, by the time at which it happened, newest first',
    access: { needs: 'audit:read', where: 'list' },
    query: z.strictObject({
      actor: z.string().max(256).optional(),
      action: z.enum(AUDIT_ACTIONS).optional(),
      bundleInstallId: Uuid.optional(),
      since: Timestamp.optional(),
      until: Timestamp.optional(),
      ...pageQuery,
    }),
    answer: listOf(AuditEntry),
    codes: [],
  },
})

/** The characters of the subject of what a console records. */
export const SUBJECT_MAX = 512

/** What a console did itself, or rejected before it sent a request to the runtime. */
export const ConsoleEvent = z.strictObject({
  action: z.enum(AUDIT_ACTIONS),
  /** DONE is only for sign-ins, sign-outs and saved views: the runtime records all other actions itself. */
  outcome: z.enum(['DONE', 'REFUSED']),
  subject: z.string().min(1).max(SUBJECT_MAX),
  errorCode: z.string().min(1).max(ERROR_CODE_MAX).nullable(),
  scope: Scope.nullable(),
  bundleInstallId: Uuid.nullable(),
  operationId: Uuid.nullable(),
  clientAddress: z.string().min(1).max(64).nullable(),
  /** Of the request, or of the first of several. */
  requestId: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'Must be 1 to 64 of A-Z a-z 0-9 . _ -'),
  occurrences: Occurrences,
})
export type ConsoleEvent = z.infer<typeof ConsoleEvent>

/** Called only by a console, below the same base as the runtime API, and only on its own behalf. */
export const auditRecordApi = defineEndpoints({
  'POST /audit/entries': {
    summary:
      'Record a sign-in, a sign-out, a change of a saved view, or a request that the console rejected, under the actor of the assertion',
    access: { needs: 'recording' },
    body: ConsoleEvent,
    answer: z.object({ recorded: z.literal(true) }),
    codes: ['IDEMPOTENCY_KEY_REUSED'],
  },
})
