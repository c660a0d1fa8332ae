import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/define.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { AUDIT_ACTIONS } from './vocabulary.ts'
import { listOf, pageQuery, Person, PropertyChange, Timestamp, Uuid } from './common.ts'

export const AuditEntry = z.object({
  sequence: z.number().int().positive(),
  at: Timestamp,
  actor: Person,
  action: z.enum(AUDIT_ACTIONS),
  /** What it was done to, in words: a bundle version, a plugin, a service, a scope. */
  subject: z.string(),
  scope: Scope.nullable(),
  bundleInstallId: Uuid.nullable(),
  operationId: Uuid.nullable(),
  reason: z.string().nullable(),
  changes: z.array(PropertyChange),
  outcome: z.enum(['DONE', 'REFUSED']),
  requestId: z.string(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

export const auditEndpoints = defineEndpoints({
  'GET /audit': {
    summary: 'Who did what, when and why, newest first',
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
