import * as z from 'zod'
import { MessageParameters } from '#contract/protocol/envelope.ts'
import { STRING_BYTES_MAX } from '#contract/protocol/limits.ts'
import { RESOURCE_KINDS } from '#contract/protocol/locator.ts'
import { InstallationIdentity, Scope } from '#contract/protocol/scope.ts'
import { PositiveInteger } from '#contract/protocol/keys.ts'
import { OPERATION_TYPES, RESOURCE_ACTIONS, STAGES } from '#contract/protocol/vocabulary.ts'
import { Claim } from './claim.ts'
import { Key, PropertyChange, PropertyName, ResourceLocator } from './common.ts'

/**
 * Identifies what a plan was based on: the snapshot, the installed versions, the plugin registrations and bindings, the
 * calls, and the values. A write that carries it is refused with PLAN_STALE if anything of it has changed. Opaque to clients.
 */
export const PlanToken = z.string().min(1).max(STRING_BYTES_MAX)

/** Whether a plugin can be called now. RETIRED: the platform answers the calls of a DETACH, and other operations are refused. */
const PLUGIN_AVAILABILITIES = ['READY', 'DISABLED', 'NOT_REGISTERED', 'RETIRED'] as const

const PropertyRef = z.object({ locator: ResourceLocator, property: PropertyName })

/** Why a plugin does not have what the policy of an environment asks for: a passing report of its version. */
export const UncheckedPlugin = z.object({
  /** The registered version; null without one. */
  version: Key.nullable(),
  policy: z.enum(['WARN', 'REFUSE']),
  reason: z.enum(['NO_VERSION', 'NO_REPORT', 'NOT_PASSED']),
})
export type UncheckedPlugin = z.infer<typeof UncheckedPlugin>

/** The plugin calls of one stage, in call order; calls of equal order are made in parallel. */
export const PlannedStage = z.object({
  stage: z.enum(STAGES),
  calls: z.array(
    z.object({
      pluginId: Key,
      order: z.number().int(),
      availability: z.enum(PLUGIN_AVAILABILITIES),
      /** The policy of the environment asks for a passing report of the plugin's version, and there is none. */
      unchecked: UncheckedPlugin.optional(),
      /** The changed properties that the plugin may read. */
      reads: z.array(PropertyRef),
      /** The properties that the plugin may write. */
      writes: z.array(PropertyRef),
    }),
  ),
})
export type PlannedStage = z.infer<typeof PlannedStage>

/** One reason why the planned request would be refused. */
export const PlanProblem = z.object({
  locator: ResourceLocator.optional(),
  property: PropertyName.optional(),
  path: z.string().optional(),
  errorCode: z.string(),
  message: z.string(),
  parameters: MessageParameters.optional(),
})
export type PlanProblem = z.infer<typeof PlanProblem>

/** What refuses nothing, but is worth knowing before: a pause that would hold it up, a disabled plugin, a deprecated version. */
export const PlanNotice = z.object({ message: z.string(), parameters: MessageParameters })
export type PlanNotice = z.infer<typeof PlanNotice>

/** Absent from the answer of an earlier version. */
export const notices = z.array(PlanNotice).optional()

/** What an INSTALL, UPGRADE, DETACH or takeover would do, and every reason to refuse it. Nothing is written. */
export const OperationPlan = z.object({
  /** Null if the plan cannot be made; `problems` says why. */
  planToken: PlanToken.nullable(),
  operationType: z.enum(OPERATION_TYPES),
  scope: Scope,
  /** Null for an INSTALL: the installation does not exist yet. */
  installation: InstallationIdentity.nullable(),
  currentVersion: Key.nullable(),
  targetVersion: Key.nullable(),
  /** Null if the scope has no snapshot yet. */
  snapshotVersion: PositiveInteger.nullable(),
  claim: Claim.nullable(),
  resources: z.array(
    z.object({
      locator: ResourceLocator,
      kind: z.enum(RESOURCE_KINDS),
      title: z.string(),
      action: z.enum(RESOURCE_ACTIONS),
    }),
  ),
  changes: z.array(PropertyChange),
  stages: z.array(PlannedStage),
  notices,
  problems: z.array(PlanProblem),
})
export type OperationPlan = z.infer<typeof OperationPlan>
