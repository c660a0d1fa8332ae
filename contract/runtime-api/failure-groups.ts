import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key, pageQuery, scopeFilter, Timestamp } from './common.ts'
import { Operation, operationFilters } from './operations.ts'
import { PHASES } from './vocabulary.ts'

/** The failed operations with one cause: the same bundle, plugin, stage, code and shape of the message. */
export const FailureGroup = z.object({
  key: z.string(),
  /** Null if the runtime itself failed. */
  pluginId: Key.nullable(),
  stage: z.enum(PHASES),
  errorCode: z.string(),
  /** The message without what differs between the operations, such as ids, numbers and quoted values. */
  shape: z.string(),
  count: z.number().int().positive(),
  scopes: z.number().int().positive(),
  /** Target versions of its operations, at most 10. */
  versions: z.array(Key),
  firstAt: Timestamp,
  lastAt: Timestamp,
  /** The operation that failed last. */
  latest: Operation,
})
export type FailureGroup = z.infer<typeof FailureGroup>

/** The failures of one plugin, by the hour in which the operations were created. */
export const PluginFailures = z.object({
  /** Null for failures of the runtime itself. */
  pluginId: Key.nullable(),
  /** Of each of the 24 hours, the oldest first. */
  hours: z.array(z.number().int().nonnegative()),
})
export type PluginFailures = z.infer<typeof PluginFailures>

const { state: _, ...filters } = operationFilters

export const failureGroupEndpoints = defineEndpoints({
  'GET /failure-groups': {
    summary: 'Failed operations grouped by cause, the largest group first',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({ ...filters, ...pageQuery }),
    answer: z.object({ groups: z.array(FailureGroup), next: z.string().optional() }),
    codes: [],
  },
  'GET /failure-groups/hours': {
    summary: 'Failed operations of the last 24 hours by plugin and hour, the plugin with most failures first',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject(scopeFilter),
    answer: z.object({
      /** The beginning of the first hour. */
      since: Timestamp,
      /** At most 50. */
      plugins: z.array(PluginFailures),
    }),
    codes: [],
  },
})
