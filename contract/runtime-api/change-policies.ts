import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { PositiveInteger } from '#contract/protocol/keys.ts'
import { Key, listOf, Reason, Timestamp } from './common.ts'
import { CHANGE_KINDS } from './vocabulary.ts'

export const APPROVALS_MAX = 10

export const ChangePolicy = z.object({
  environmentKey: Key,
  /** The kinds that need a change request; an action of a batch counts as its kind too. */
  requiredFor: z.array(z.enum(CHANGE_KINDS)),
  approvals: PositiveInteger,
  /** Null for an environment that has never had a policy. */
  updatedAt: Timestamp.nullable(),
})
export type ChangePolicy = z.infer<typeof ChangePolicy>

export const changePolicyEndpoints = defineEndpoints({
  'GET /change-policies': {
    summary: 'Which changes of which environments need approvals',
    access: { needs: 'read', where: 'anywhere' },
    query: z.strictObject({}),
    answer: listOf(ChangePolicy),
    codes: [],
  },
  'GET /change-policies/{environmentKey}': {
    summary: 'Which changes of an environment need approvals',
    access: { needs: 'read', where: 'anywhere' },
    params: z.strictObject({ environmentKey: Key }),
    answer: ChangePolicy,
    codes: [],
  },
  'PUT /change-policies/{environmentKey}': {
    summary:
      'Set which changes of an environment need approvals, and how many; open requests never need fewer',
    audit: 'change.policy',
    access: { needs: 'policy:write', where: 'environment' },
    params: z.strictObject({ environmentKey: Key }),
    body: z.strictObject({
      requiredFor: z
        .array(z.enum(CHANGE_KINDS))
        .refine((kinds) => new Set(kinds).size === kinds.length, 'Must not have the same item twice'),
      approvals: z
        .number()
        .int()
        .min(1, 'Must be at least 1')
        .max(APPROVALS_MAX, `Must be at most ${APPROVALS_MAX}`),
      /** Of the policy that the caller saw; null for the first one. */
      updatedAt: Timestamp.nullable(),
      reason: Reason.optional(),
    }),
    answer: ChangePolicy,
    codes: ['CHANGE_POLICY_STALE', 'IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'always',
  },
})
