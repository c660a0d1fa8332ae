import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key } from '#contract/protocol/keys.ts'
import { BundleRef, Scope } from '#contract/protocol/scope.ts'
import { OPERATION_TYPES, OUTCOMES, STAGES } from '#contract/protocol/vocabulary.ts'
import { Timestamp, Uuid } from './common.ts'
import { HEALTH_RANGE_NAMES } from './vocabulary.ts'

const count = z.number().int().nonnegative()

/** Counts finished attempts. Attempts that are in progress, or that a stop of the runtime interrupted, are left out. */
const figures = {
  attempts: count,
  /** Attempts with the outcome NOT_APPLIED, APPLIED or VERIFIED. */
  succeeded: count,
  /** Attempts after which the plugin may have acted without a definite result. */
  uncertain: count,
  /** From sending the request to the end of the attempt, in milliseconds; null without attempts. */
  p50Ms: z.number().nonnegative().nullable(),
  p95Ms: z.number().nonnegative().nullable(),
  /** How many attempts a successful call took on average; null without one. */
  attemptsNeeded: z.number().positive().nullable(),
}
export const HealthFigures = z.object(figures)
export type HealthFigures = z.infer<typeof HealthFigures>

export const PluginHealth = z.object({
  /** The range that was read. It begins later than requested if the range has more attempts than the limit. */
  since: Timestamp,
  until: Timestamp,
  /** Whether it begins as early as asked. */
  complete: z.boolean(),
  total: HealthFigures,
  /** Oldest first; those without attempts are absent. */
  buckets: z.array(z.object({ since: Timestamp, ...figures })),
  /** The attempts at each endpoint, oldest first. Both are null for attempts that are older than the record of endpoints. */
  endpoints: z.array(z.object({ endpoint: z.string().nullable(), since: Timestamp.nullable(), ...figures })),
  /** The attempts for each version of a bundle, the last used first; at most 20. */
  versions: z.array(
    z.object({ bundle: BundleRef, version: Key, firstAt: Timestamp, lastAt: Timestamp, ...figures }),
  ),
  /** The newest attempts, at most 20. */
  latest: z.array(
    z.object({
      operationId: Uuid,
      operationType: z.enum(OPERATION_TYPES),
      /** Of the installation. */
      title: z.string(),
      scope: Scope,
      stage: z.enum(STAGES),
      attempt: z.number().int().positive(),
      startedAt: Timestamp,
      durationMs: z.number().nonnegative(),
      outcome: z.enum(OUTCOMES).nullable(),
      errorCode: z.string().nullable(),
      httpStatus: z.number().int().nullable(),
    }),
  ),
})
export type PluginHealth = z.infer<typeof PluginHealth>

export const pluginHealthEndpoints = defineEndpoints({
  'GET /plugins/{pluginId}/health': {
    summary: 'How a plugin answered, over time: of the operations that the caller may see',
    access: { needs: 'read', where: 'list' },
    params: z.strictObject({ pluginId: Key }),
    query: z.strictObject({ range: z.enum(HEALTH_RANGE_NAMES).default('day') }),
    answer: PluginHealth,
    codes: [],
  },
})
