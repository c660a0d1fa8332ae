import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import { PositiveInteger } from '#contract/protocol/keys.ts'
import { listOf, pageQuery, Person, scopeFilter, searchText, Timestamp } from './common.ts'
import {
  CLAIM_STATES,
  INSTALLATION_STATES,
  NEXT_ACTIONS,
  NEXT_ACTORS,
  OPERATION_STATES,
} from './vocabulary.ts'

const count = z.number().int().nonnegative()

export const Summary = z.object({
  installations: z.record(z.enum(INSTALLATION_STATES), count),
  /** ACTIVE installations whose bundle has a newer published version. */
  outdated: count,
  claims: z.array(z.object({ operationType: z.enum(OPERATION_TYPES), state: z.enum(CLAIM_STATES), count })),
  /** Operations that are not over, by who acts next and how; combinations without an operation are absent. */
  nextSteps: z.array(z.object({ actor: z.enum(NEXT_ACTORS), action: z.enum(NEXT_ACTIONS), count })),
  /** Operations created in the last 24 hours, by current state. */
  operations: z.record(z.enum(OPERATION_STATES), count),
  /** The largest difference between the clocks of a runtime and of the database, positive if that of the runtime is ahead; null if they agree. */
  clockAheadMs: z.number().nullable(),
})
export type Summary = z.infer<typeof Summary>

export const ScopeRow = Scope.extend({
  installations: count,
  claimed: count,
  /** Of the claimed ones, those whose operation has failed. */
  failed: count,
  snapshotVersion: PositiveInteger,
  savedAt: Timestamp,
  savedBy: Person,
})
export type ScopeRow = z.infer<typeof ScopeRow>

export const summaryEndpoints = defineEndpoints({
  'GET /summary': {
    summary: 'Counts of installations, claims and recent operations',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject(scopeFilter),
    answer: Summary,
    codes: [],
  },
  'GET /scopes': {
    summary: 'Scopes that have ever had an installation, with counts',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({ ...scopeFilter, q: searchText, ...pageQuery }),
    answer: listOf(ScopeRow),
    codes: [],
  },
})
