import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key } from '#contract/protocol/keys.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { ROLES } from './role-text.ts'
import { listOf, Person, plainName, Timestamp, Uuid } from '#contract/runtime-api/common.ts'

/** A role and where it applies: in a scope, in an environment, or everywhere (null). */
export const GrantedRole = z.strictObject({
  role: z.enum(ROLES),
  scope: z.union(
    [z.null(), Scope, z.strictObject({ environmentKey: Key })],
    'Must be null, an environment, or a scope, each named by its keys',
  ),
})
export type GrantedRole = z.infer<typeof GrantedRole>

/** How many tokens of an account are valid at a time: the one in use, and the one that replaces it. */
export const VALID_TOKENS_MAX = 2
export const TOKEN_DAYS_MAX = 365
export const ACCOUNT_NAME_MAX = 64
const ACCOUNT_ROLES_MAX = 100

/** A token of a service account; its text is returned only when it is created. */
export const ServiceAccountToken = z.object({
  tokenId: Uuid,
  createdAt: Timestamp,
  createdBy: Person,
  expiresAt: Timestamp,
  /** To within a minute; null if it was never used. */
  lastUsedAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
})
export type ServiceAccountToken = z.infer<typeof ServiceAccountToken>

/** An identity of a program, with roles as a person has them. */
export const ServiceAccount = z.object({
  accountId: Uuid,
  name: z.string(),
  roles: z.array(GrantedRole),
  createdAt: Timestamp,
  createdBy: Person,
  updatedAt: Timestamp,
  tokens: z.array(ServiceAccountToken),
})
export type ServiceAccount = z.infer<typeof ServiceAccount>

const name = plainName(ACCOUNT_NAME_MAX)
const roles = z
  .array(GrantedRole)
  .min(1, 'Must not be empty')
  .max(ACCOUNT_ROLES_MAX, `Must have at most ${ACCOUNT_ROLES_MAX} entries`)
const params = z.strictObject({ accountId: Uuid })
const access = { needs: 'account:write', where: 'everywhere' } as const
const recentSignIn = 'always' as const

/** The endpoints of service accounts. The BFF stores them; the runtime sees them as people. */
export const serviceAccountApi = defineEndpoints({
  'GET /service-accounts': {
    summary: 'All service accounts with their tokens, by name',
    access,
    query: z.strictObject({}),
    answer: listOf(ServiceAccount),
    codes: [],
  },
  'POST /service-accounts': {
    summary: 'Create a service account',
    audit: 'service-account.create',
    access,
    body: z.strictObject({ name, roles }),
    answer: ServiceAccount,
    codes: ['IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn,
  },
  'PUT /service-accounts/{accountId}': {
    summary: 'Give a service account other roles, from its next request on',
    audit: 'service-account.save',
    access,
    params,
    body: z.strictObject({ roles }),
    answer: ServiceAccount,
    codes: ['NOT_FOUND', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn,
  },
  'DELETE /service-accounts/{accountId}': {
    summary: 'Delete a service account with its tokens, with immediate effect',
    audit: 'service-account.delete',
    access,
    params,
    answer: z.object({ accountId: Uuid }),
    codes: ['NOT_FOUND', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn,
  },
  'POST /service-accounts/{accountId}/tokens': {
    summary: 'Create a token; its text is returned only once. At most two are valid at a time',
    audit: 'service-account.token.create',
    access,
    params,
    body: z.strictObject({
      /** How long it is valid. */
      days: z
        .number('Must be a number')
        .int('Must be a whole number')
        .min(1, 'Must be at least 1')
        .max(TOKEN_DAYS_MAX, `Must be at most ${TOKEN_DAYS_MAX}`),
    }),
    answer: z.object({ tokenId: Uuid, expiresAt: Timestamp, token: z.string().nullable() }),
    shownOnce: ['token'],
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn,
  },
  'DELETE /service-accounts/{accountId}/tokens/{tokenId}': {
    summary: 'Revoke a token with immediate effect',
    audit: 'service-account.token.revoke',
    access,
    params: params.extend({ tokenId: Uuid }),
    answer: ServiceAccount,
    codes: ['NOT_FOUND', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn,
  },
})
