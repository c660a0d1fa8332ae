import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { InstallationIdentity } from '#contract/protocol/scope.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import { Key, operationParams, PropertyChange, Timestamp, Uuid } from './common.ts'

/** An operation that succeeded, with which another one can be compared. */
export const Comparable = z.object({
  operationId: Uuid,
  operationType: z.enum(OPERATION_TYPES),
  targetVersion: Key,
  installation: InstallationIdentity,
  title: z.string(),
  finishedAt: Timestamp,
})
export type Comparable = z.infer<typeof Comparable>

/** How a plugin was registered when an operation ended, or is now if it has not ended. */
const RegistrationThen = z.object({
  endpoint: z.string(),
  version: Key.nullable(),
  timeoutMs: z.number().int(),
  maxAttempts: z.number().int(),
  maxBackoffMs: z.number().int(),
})
export type RegistrationThen = z.infer<typeof RegistrationThen>

/** An operation beside one that succeeded. `before` is always of the other one, `after` of this one. */
export const OperationComparison = z.object({
  /** The last operation of the installation before this one that succeeded. */
  lastGood: Comparable.nullable(),
  /**
   * Operations of the same type on other installations of the bundle that succeeded, at most 20 that the caller may read: those
   * to the same version first, then the newest. They are looked for among the newest 2,000 operations of the bundle.
   */
  siblings: z.array(Comparable),
  /** The one that is compared: the one that was asked for, else the last good one, else the first sibling; null if there is none. */
  other: Comparable.nullable(),
  /** The values that differ, with those that plugins wrote. A sensitive one only says whether it is set. */
  values: z.array(PropertyChange),
  /** How many more differ. */
  moreValues: z.number().int().nonnegative(),
  /** The registrations that differ; null for an operation that did not call the plugin. */
  registrations: z.array(
    z.object({ pluginId: Key, before: RegistrationThen.nullable(), after: RegistrationThen.nullable() }),
  ),
  /** Plugins with 200 or more registrations since one of the operations: the earlier registration shown may be a later one. */
  registrationsCut: z.array(Key),
})
export type OperationComparison = z.infer<typeof OperationComparison>

export const operationComparisonEndpoints = defineEndpoints({
  'GET /operations/{operationId}/comparison': {
    cost: 5,
    summary:
      'What differs between an operation and one that succeeded: its values and the registrations of its plugins',
    access: { needs: 'read', where: 'object' },
    params: operationParams,
    /** An operation of the same bundle that succeeded and that the caller may read. */
    query: z.strictObject({ with: Uuid.optional() }),
    answer: OperationComparison,
    codes: ['NOT_FOUND', 'REQUEST_INVALID'],
  },
})
