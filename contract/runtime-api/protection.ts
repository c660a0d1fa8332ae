import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { installationParams, Key, Reason } from './common.ts'
import { Installation } from './installations.ts'

const row = {
  access: { needs: 'installation:detach', where: 'object' },
  params: installationParams,
  body: z.strictObject({ reason: Reason }),
  answer: z.object({ installation: Installation }),
} as const

const pinned = { ...row, access: { needs: 'installation:upgrade', where: 'object' } } as const

export const protectionEndpoints = defineEndpoints({
  'POST /installations/{bundleInstallId}/protect': {
    ...row,
    summary:
      'Protect an installation: it cannot be detached or taken over until somebody lifts the protection',
    audit: 'installation.protect',
    codes: [
      'NOT_FOUND',
      'INSTALLATION_NOT_ACTIVE',
      'OPERATION_IN_PROGRESS',
      'OPERATION_CLAIM_HELD',
      'IDEMPOTENCY_KEY_REUSED',
    ],
  },
  'POST /installations/{bundleInstallId}/unprotect': {
    ...row,
    summary: 'Lift the protection of an installation',
    audit: 'installation.unprotect',
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'always',
  },
  'POST /installations/{bundleInstallId}/pin': {
    ...pinned,
    summary: 'Pin an installation: it can be upgraded to these versions only, until somebody removes the pin',
    audit: 'installation.pin',
    body: z.strictObject({
      /** One version, or the beginning of some: `1.4.x`. */
      versions: Key,
      reason: Reason,
    }),
    codes: ['NOT_FOUND', 'INSTALLATION_NOT_ACTIVE', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'POST /installations/{bundleInstallId}/unpin': {
    ...pinned,
    summary: 'Remove the pin of an installation',
    audit: 'installation.unpin',
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  },
})
