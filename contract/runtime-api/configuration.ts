import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { mapOf, PositiveInteger } from '#contract/protocol/keys.ts'
import { LARGE_BODY_BYTES_MAX } from '#contract/protocol/limits.ts'
import { RESOURCE_KINDS } from '#contract/protocol/locator.ts'
import { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { InstallationIdentity, Scope } from '#contract/protocol/scope.ts'
import { NOT_WRAPPED, TypedValue } from '#contract/protocol/typed-value.ts'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import {
  Override,
  Changes,
  Key,
  listOf,
  pageQuery,
  Person,
  PropertyChange,
  PropertyName,
  PropertyView,
  Reason,
  ResourceLocator,
  scopeParams,
  Timestamp,
  Uuid,
} from './common.ts'
import { Claim } from './claim.ts'
import { Apply, Manager } from './managers.ts'
import { Operation } from './operations.ts'
import { notices, PlannedStage, PlanProblem, PlanToken } from './plans.ts'

export const ConfigurationResource = z.object({
  bundleInstallId: Uuid,
  kind: z.enum(RESOURCE_KINDS),
  title: z.string(),
  properties: z.record(PropertyName, PropertyView),
  definitions: z.record(PropertyName, PropertyDefinition),
  /** For each property that a plugin of the bundle writes, that plugin; operators may not write it. */
  writtenBy: z.record(PropertyName, Key),
  /** The manager of each property that has a value. Absent in a past snapshot. */
  managedBy: z.record(PropertyName, Manager).optional(),
  /** When each sensitive property that has a value was set last, and by whom. Absent in a past snapshot. */
  sensitiveSet: z.record(PropertyName, z.object({ at: Timestamp, by: Person })).optional(),
  claim: Claim.nullable(),
})
export type ConfigurationResource = z.infer<typeof ConfigurationResource>

export const Configuration = z.object({
  scope: Scope,
  snapshotVersion: PositiveInteger,
  savedAt: Timestamp,
  savedBy: Person,
  resources: z.record(ResourceLocator, ConfigurationResource),
})
export type Configuration = z.infer<typeof Configuration>

/** What created a snapshot: a person's save, or an operation that succeeded. */
export const SNAPSHOT_CAUSES = ['CREATED', 'SAVE', ...OPERATION_TYPES] as const

export const Snapshot = z.object({
  snapshotVersion: PositiveInteger,
  savedAt: Timestamp,
  savedBy: Person,
  reason: z.string().nullable(),
  cause: z.enum(SNAPSHOT_CAUSES),
  operationId: Uuid.nullable(),
  /** Of a save: those of the operations that it started that are still stored. */
  operations: z.array(Uuid),
  /** How many operations retention has removed: the one that wrote the snapshot, or those that the save started. Absent if none. */
  operationsRemoved: PositiveInteger.optional(),
  changes: z.array(
    PropertyChange.extend({
      /** The manager since this change. Absent if the value was removed, or if the manager is unknown. */
      managedBy: Manager.optional(),
    }),
  ),
})
export type Snapshot = z.infer<typeof Snapshot>

/**
 * What a save would do: the exact changes, the installations affected, the order of plugin calls, and the problems that
 * would reject it.
 */
export const Plan = z.object({
  /** Null if no installation takes part. A save of only some of these installations may carry it too. */
  planToken: PlanToken.nullable(),
  snapshotVersion: PositiveInteger,
  stale: z.boolean(),
  changes: z.array(PropertyChange),
  installations: z.array(
    z.object({
      installation: InstallationIdentity,
      claim: Claim.nullable(),
      resources: z.array(ResourceLocator),
      stages: z.array(PlannedStage),
    }),
  ),
  notices,
  problems: z.array(PlanProblem),
})
export type Plan = z.infer<typeof Plan>

const plannedSave = {
  snapshotVersion: PositiveInteger,
  changes: Changes,
  reason: Reason.optional(),
  apply: Apply.optional(),
}
const PlanBody = z.strictObject(plannedSave)

export const SaveBody = z.strictObject({
  ...plannedSave,
  planToken: PlanToken.optional(),
  override: Override,
})
export type SaveBody = z.infer<typeof SaveBody>

/** Keeps the saved value of a sensitive property. */
export const KeptSensitive = z.strictObject({ '@type': z.literal('Data'), isSensitive: z.literal(true) })

export const FullConfigurationBody = z.strictObject({
  snapshotVersion: PositiveInteger,
  resources: mapOf(
    ResourceLocator,
    z.strictObject({ properties: mapOf(PropertyName, z.union([TypedValue, KeptSensitive], NOT_WRAPPED)) }),
  ),
  reason: Reason.optional(),
  /** With it, an absent property is removed only if this apply manages it. */
  apply: Apply.optional(),
  planToken: PlanToken.optional(),
  override: Override,
})
export type FullConfigurationBody = z.infer<typeof FullConfigurationBody>

const Saved = z.object({ snapshotVersion: PositiveInteger, operations: z.array(Operation) })

const saveCodes = [
  'NOT_FOUND',
  'PROPERTY_PROTECTED',
  'CONFIGURATION_SNAPSHOT_STALE',
  'PLAN_STALE',
  'RESOURCE_OWNERSHIP_MISSING',
  'PROPERTY_MANAGED',
  'PROPERTY_INVALID',
  'REFERENCE_TARGET_UNAVAILABLE',
  'MANIFEST_INVALID',
  'OPERATION_IN_PROGRESS',
  'OPERATION_CLAIM_HELD',
  'NUMBERS_USED_UP',
  'PLUGIN_NOT_CHECKED',
  'PLUGIN_RETIRED',
  'CHANGES_FROZEN',
  'APPROVAL_REQUIRED',
  'RECENT_SIGN_IN_REQUIRED',
  'IDEMPOTENCY_KEY_REUSED',
  'TOO_MANY_COMPARISONS',
] as const

const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

export const configurationEndpoints = defineEndpoints({
  [`GET ${base}` as const]: {
    summary: 'The current configuration of a scope',
    access: { needs: 'read', where: 'path' },
    params: scopeParams,
    answer: Configuration,
    codes: ['NOT_FOUND'],
  },
  [`GET ${base}/history` as const]: {
    summary: 'Snapshots of a scope, newest first, with who changed what',
    access: { needs: 'read', where: 'path' },
    params: scopeParams,
    query: z.strictObject({
      locator: ResourceLocator.optional(),
      property: PropertyName.optional(),
      /** The id of a person. */
      savedBy: z.string().max(256).optional(),
      since: Timestamp.optional(),
      until: Timestamp.optional(),
      ...pageQuery,
    }),
    answer: listOf(Snapshot),
    codes: ['NOT_FOUND'],
  },
  [`GET ${base}/history/people` as const]: {
    summary: 'Everyone who has saved a snapshot of a scope, with their newest names',
    access: { needs: 'read', where: 'path' },
    params: scopeParams,
    answer: z.object({ items: z.array(Person) }),
    codes: ['NOT_FOUND'],
  },
  [`GET ${base}/snapshots/{snapshotVersion}` as const]: {
    summary: 'The configuration of a scope as it was at a snapshot',
    access: { needs: 'read', where: 'path' },
    params: scopeParams.extend({
      snapshotVersion: z
        .string()
        .regex(/^[1-9]\d{0,15}$/, 'Must be a whole number, 1 or more')
        .transform(Number)
        .pipe(PositiveInteger),
    }),
    answer: Configuration,
    codes: ['NOT_FOUND'],
  },
  [`POST ${base}/plan` as const]: {
    cost: 3,
    summary: 'Preview a save of these changes; writes nothing',
    // a plan reveals whether a given sensitive value equals the saved one, so it requires permission to write that
    // value, and is counted (docs/decisions/0082-hidden-values.md)
    access: { needs: 'configuration:write', where: 'path' },
    params: scopeParams,
    body: PlanBody,
    answer: Plan,
    codes: ['NOT_FOUND', 'TOO_MANY_COMPARISONS'],
    writesNothing: true,
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  [`PATCH ${base}` as const]: {
    summary: 'Save changes on top of a named snapshot and start CONFIGURE for each owner',
    audit: 'configuration.save',
    access: { needs: 'configuration:write', where: 'path' },
    params: scopeParams,
    body: SaveBody,
    answer: Saved,
    codes: saveCodes,
    recentSignIn: 'overrides',
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  [`PUT ${base}` as const]: {
    summary: 'Save the full configuration on top of a named snapshot; the runtime finds what changed',
    audit: 'configuration.save',
    access: { needs: 'configuration:write', where: 'path' },
    params: scopeParams,
    body: FullConfigurationBody,
    answer: Saved,
    codes: saveCodes,
    recentSignIn: 'overrides',
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
})
