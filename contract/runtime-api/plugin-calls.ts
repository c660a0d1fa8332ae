import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { ERROR_CODE_MAX } from '#contract/protocol/limits.ts'
import { OPERATION_TYPES, STAGES } from '#contract/protocol/vocabulary.ts'
import {
  Key,
  listOf,
  oneOrMore,
  pageQuery,
  PropertyName,
  ResourceLocator,
  Timestamp,
  Uuid,
} from './common.ts'
import { PLUGIN_CALL_KINDS, PLUGIN_CALL_RESULTS, PLUGIN_REFUSALS } from './vocabulary.ts'

/**
 * Calls between this platform and a plugin. A lifecycle attempt is one call. What the plugin reads from this platform is
 * counted: one row for what was answered alike within a minute, and one for all refusals of a kind.
 */
export const RecordedCalls = z.object({
  kind: z.enum(PLUGIN_CALL_KINDS),
  /** When the attempt began, or the last of these calls was made. */
  at: Timestamp,
  /** When the first of these refusals was. */
  firstAt: Timestamp.optional(),
  calls: z.number().int().positive(),
  result: z.enum(PLUGIN_CALL_RESULTS),
  code: z.string().nullable(),
  /** Why this platform refused them. */
  rule: z.enum(PLUGIN_REFUSALS).optional(),
  /** Null for what the plugin read. */
  attempt: z
    .object({
      operationId: Uuid,
      operationType: z.enum(OPERATION_TYPES),
      stage: z.enum(STAGES),
      attempt: z.number().int().positive(),
      httpStatus: z.number().int().nullable(),
      durationMs: z.number().nonnegative().nullable(),
    })
    .nullable(),
  /** Null if it is not known. */
  installation: z.object({ bundleInstallId: Uuid, title: z.string() }).nullable(),
  resource: ResourceLocator.nullable(),
  property: PropertyName.nullable(),
})
export type RecordedCalls = z.infer<typeof RecordedCalls>

export const pluginCallEndpoints = defineEndpoints({
  'GET /plugins/{pluginId}/calls': {
    summary:
      'The calls between this platform and a plugin, newest first: lifecycle attempts, and what the plugin reads, in the scopes that the caller may see',
    access: { needs: 'read', where: 'list' },
    params: z.strictObject({ pluginId: Key }),
    query: z.strictObject({
      kind: oneOrMore(PLUGIN_CALL_KINDS).optional(),
      result: oneOrMore(PLUGIN_CALL_RESULTS).optional(),
      code: z.string().max(ERROR_CODE_MAX).optional(),
      /** Only the attempts of this operation. */
      operationId: Uuid.optional(),
      since: Timestamp.optional(),
      until: Timestamp.optional(),
      ...pageQuery,
    }),
    answer: listOf(RecordedCalls).extend({
      /** With filters that few calls match: those until this time were looked at. `nextCursor` continues there. */
      searchedTo: Timestamp.optional(),
    }),
    codes: [],
  },
})
