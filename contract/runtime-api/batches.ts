import * as z from 'zod'
import { batchValuesIn, defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { mapOf } from '#contract/protocol/keys.ts'
import { MessageParameters } from '#contract/protocol/envelope.ts'
import { LARGE_BODY_BYTES_MAX, TITLE_MAX } from '#contract/protocol/limits.ts'
import { BundleRef, InstallationIdentity, Scope } from '#contract/protocol/scope.ts'
import { parseScope } from '#contract/protocol/scope-text.ts'
import { Claim } from './claim.ts'
import {
  Override,
  Changes,
  Key,
  listOf,
  oneOrMore,
  pageQuery,
  Person,
  plainName,
  PropertyChange,
  PropertyName,
  PropertyView,
  Reason,
  ResourceLocator,
  Timestamp,
  Uuid,
} from './common.ts'
import { Referrer } from './services.ts'
import { notices, PlanProblem, PlanToken, UncheckedPlugin } from './plans.ts'
import { WaitingWave, Wave, Waves, WavesRequest, WAVES_MAX } from './waves.ts'
import { BATCH_ACTIONS, BATCH_ITEM_STATES, BATCH_REASONS, BATCH_STATES, PHASES } from './vocabulary.ts'

export const BATCH_TARGETS_MAX = 1_000
/** Of all targets together: a value for every target is planned in each. */
export const BATCH_VALUES_MAX = 100_000
export const BATCH_CONCURRENCY_MAX = 50
export const BATCH_CONCURRENCY_DEFAULT = 5
/** How many references a plan names that would stop resolving. */
export const BATCH_REFERENCES_MAX = 200

const targetsOf = <Target extends z.ZodType<string>>(target: Target) =>
  z
    .array(target)
    .min(1, 'Must have at least 1 item')
    .max(BATCH_TARGETS_MAX, `Must have at most ${BATCH_TARGETS_MAX} items`)
    .refine((ids) => new Set(ids).size === ids.length, 'Must not have the same item twice')
const targets = targetsOf(Uuid)

/** A scope as the target of an INSTALL, as people write it: `production/eu-central/1`. */
const ScopeTarget = z
  .string()
  .refine(
    (text) => parseScope(text) !== null,
    'Must be environmentKey, applicationRuntimeId and workspaceId, joined by /',
  )

/** What is set in a single target; takes precedence over what the batch sets in every target. */
const values = mapOf(Uuid, Changes).optional()

const nothing = z.strictObject({}).optional()
const inputs = {
  RETRY: nothing,
  TAKEOVER: nothing,
  DETACH: nothing,
  INSTALL: z.strictObject({
    bundle: BundleRef,
    targetVersion: Key,
    /** Set in every target. */
    properties: Changes.optional(),
    values: mapOf(ScopeTarget, Changes).optional(),
  }),
  UPGRADE: z.strictObject({
    targetVersion: Key,
    /** Set in every target. */
    properties: Changes.optional(),
    /** Set only where a target would have no value; the other targets keep theirs. */
    fill: Changes.optional(),
    values,
  }),
  CONFIGURE: z
    .strictObject({ changes: Changes.optional(), values })
    .refine(
      (input) => input.changes !== undefined || input.values !== undefined,
      'Must have changes, values or both',
    ),
}

/** Without a title, a console names the batch after what it does, in the language of its reader. */
const title = plainName(TITLE_MAX).optional()
/** With `override`, what a freeze would refuse is planned and carried out. */
const planned = { title, targets, waves: WavesRequest.optional(), override: Override }
const scopes = { targets: targetsOf(ScopeTarget) }
const whole = (max: number) =>
  z.number().int().min(1, 'Must be at least 1').max(max, `Must be at most ${max}`)
const limits = {
  /** Pauses after this many results, until somebody continues. */
  first: whole(BATCH_TARGETS_MAX).optional(),
  /** How many items are carried out at the same time. */
  concurrency: whole(BATCH_CONCURRENCY_MAX).optional(),
  /** Stops after this many items that failed or were refused. */
  stopAfterFailures: whole(BATCH_TARGETS_MAX).optional(),
}
const made = {
  ...planned,
  ...limits,
  concurrency: whole(BATCH_CONCURRENCY_MAX).default(BATCH_CONCURRENCY_DEFAULT),
  planToken: PlanToken.optional(),
}
const mayHaveReason = { reason: Reason.optional() }
const needsReason = { reason: Reason }

/** A value for an installation that is not a target would be lost without a word. */
const valuesAreOfTargets = (request: {
  targets: readonly string[]
  input?: { values?: Readonly<Record<string, Changes>> | undefined } | undefined
}) => Object.keys(request.input?.values ?? {}).every((target) => request.targets.includes(target))
const NOT_A_TARGET = { message: 'Must be of targets only', path: ['input', 'values'] }
const isOfBoundedSize = (request: unknown) => batchValuesIn(request) <= BATCH_VALUES_MAX
const TOO_MANY_VALUES = {
  message: `Must set at most ${BATCH_VALUES_MAX.toLocaleString('en')} values in all targets together; a long value counts several times`,
  path: ['input'],
}

const UNKNOWN_ACTION = 'Must be RETRY, TAKEOVER, DETACH, INSTALL, UPGRADE or CONFIGURE'

const bodyOf = <Shape extends z.core.$ZodLooseShape>(of: Shape) =>
  z
    .discriminatedUnion(
      'action',
      [
        z.strictObject({ action: z.literal('RETRY'), ...of, input: inputs.RETRY }),
        z.strictObject({ action: z.literal('TAKEOVER'), ...of, input: inputs.TAKEOVER }),
        z.strictObject({ action: z.literal('DETACH'), ...of, input: inputs.DETACH }),
        z.strictObject({ action: z.literal('INSTALL'), ...of, ...scopes, input: inputs.INSTALL }),
        z.strictObject({ action: z.literal('UPGRADE'), ...of, input: inputs.UPGRADE }),
        z.strictObject({ action: z.literal('CONFIGURE'), ...of, input: inputs.CONFIGURE }),
      ],
      UNKNOWN_ACTION,
    )
    .refine((body) => valuesAreOfTargets(body as Parameters<typeof valuesAreOfTargets>[0]), NOT_A_TARGET)
    .refine(isOfBoundedSize, TOO_MANY_VALUES)
export const BatchPlanRequest = bodyOf(planned)
/** What a batch does to what, as a change request stores it. What it overrides is decided when it is applied. */
export const BatchTargets = bodyOf({ title, targets, ...limits, waves: planned.waves })
export type BatchTargets = z.output<typeof BatchTargets>
export type BatchRequest = z.output<typeof BatchPlanRequest>

const MakeBody = z
  .discriminatedUnion(
    'action',
    [
      z.strictObject({ action: z.literal('RETRY'), ...made, ...mayHaveReason, input: inputs.RETRY }),
      z.strictObject({ action: z.literal('TAKEOVER'), ...made, ...needsReason, input: inputs.TAKEOVER }),
      z.strictObject({ action: z.literal('DETACH'), ...made, ...needsReason, input: inputs.DETACH }),
      z.strictObject({
        action: z.literal('INSTALL'),
        ...made,
        ...scopes,
        ...mayHaveReason,
        input: inputs.INSTALL,
      }),
      z.strictObject({ action: z.literal('UPGRADE'), ...made, ...mayHaveReason, input: inputs.UPGRADE }),
      z.strictObject({ action: z.literal('CONFIGURE'), ...made, ...mayHaveReason, input: inputs.CONFIGURE }),
    ],
    UNKNOWN_ACTION,
  )
  .refine(valuesAreOfTargets, NOT_A_TARGET)
  .refine(isOfBoundedSize, TOO_MANY_VALUES)

const count = z.number().int().nonnegative()

/** What a batch does, without sensitive values. */
export const BatchInput = z.object({
  /** Of an INSTALL. */
  bundle: BundleRef.optional(),
  targetVersion: Key.nullable(),
  properties: z.array(
    z.object({
      locator: ResourceLocator,
      property: PropertyName,
      /** Of its schema, in the first target that defines it; absent without one, and in a batch of an earlier version. */
      title: z.string().optional(),
      after: PropertyView.nullable(),
      /** Set only where a target would have no value. */
      fills: z.boolean().optional(),
      /** How many targets have a value of their own for it; absent if it is set in every target. */
      targets: z.number().int().positive().optional(),
      /** These targets have different values that are not hidden; `after` is then null. */
      differs: z.literal(true).optional(),
    }),
  ),
})
export type BatchInput = z.infer<typeof BatchInput>

/** How carefully a batch is carried out, as it was asked for. */
export const BatchLimits = z.object({ ...limits, waves: Waves.optional() })
export type BatchLimits = z.infer<typeof BatchLimits>

/** What a change request that is a batch asks for, without sensitive values. */
export const shownBatch = {
  action: z.enum(BATCH_ACTIONS).optional(),
  targets: z.array(z.string()).optional(),
  batch: BatchInput.optional(),
  ...BatchLimits.shape,
}

/** What a batch is about, as of when it was made: the number of targets, and the bundles with most of them first. */
export const BatchSummary = z.object({
  targets: count,
  /** At most 5. */
  bundles: z.array(
    z.object({
      bundleId: Key,
      title: z.string().nullable(),
      targets: count,
      /** The versions of the targets, at most 5. */
      versions: z.array(Key),
    }),
  ),
  bundleCount: count,
})
export type BatchSummary = z.infer<typeof BatchSummary>

export const Batch = z.object({
  batchId: Uuid,
  action: z.enum(BATCH_ACTIONS),
  /** As its maker wrote it; null for a batch that is named after what it does. */
  title: z.string().nullable(),
  /** Null for a batch of an earlier version, and for a person who may not see all targets. */
  summary: BatchSummary.nullable(),
  input: BatchInput,
  first: z.number().int().nullable(),
  concurrency: z.number().int(),
  stopAfterFailures: z.number().int().nullable(),
  reason: z.string().nullable(),
  state: z.enum(BATCH_STATES),
  /** Why it is paused or was stopped. */
  because: z.enum(BATCH_REASONS).nullable(),
  requestedBy: Person,
  /** Absent if nobody stopped it, or in an earlier version. */
  stoppedBy: Person.optional(),
  /** Its items are carried out in spite of what would refuse them; absent otherwise. */
  overrides: z.literal(true).optional(),
  /** The change request that started it; absent if none did. */
  changeRequestId: Uuid.optional(),
  createdAt: Timestamp,
  finishedAt: Timestamp.nullable(),
  /** The items that the caller may see, by state. */
  counts: z.record(z.enum(BATCH_ITEM_STATES), count),
  /**
   * The items that have an operation, by how far it is; without those whose operation has been retried since. Only where one
   * batch is read.
   */
  phases: z.record(z.enum(PHASES), count).optional(),
  /** How it is divided; absent if it is not. */
  waves: Waves.optional(),
  /** It waits between waves; absent if it does not. */
  waiting: WaitingWave.optional(),
  /** Each wave. Only where one batch is read. */
  byWave: z.array(Wave).optional(),
  /**
   * Whether the caller may continue it, or start the wave that waits, and stop it, which needs a permission for all targets. Only
   * where one unfinished batch is read.
   */
  may: z.object({ continue: z.boolean(), stop: z.boolean() }).optional(),
})
export type Batch = z.infer<typeof Batch>

const target = {
  /** An operation to retry or to take over, the scope of an INSTALL as text, or an installation. */
  target: z.string(),
  scope: Scope,
  bundle: BundleRef,
  /** Null for an INSTALL that has not started: the installation does not exist yet. */
  installation: InstallationIdentity.nullable(),
  title: z.string().nullable(),
  currentVersion: Key.nullable(),
}

export const BatchItem = z.object({
  ...target,
  state: z.enum(BATCH_ITEM_STATES),
  /** From 1; absent without waves, and of a target that the plan refused. */
  wave: z.number().int().optional(),
  /**
   * What it sets, with the values that it replaces, as of when the batch was made: 50 at most, each cut to 500
   * characters. Empty for a retry, a takeover or a detach.
   */
  values: z.array(PropertyChange),
  operationId: Uuid.optional(),
  /** How far its operation is; absent before it has one, and if it has been retried since. */
  phase: z.enum(PHASES).optional(),
  /** Why it was refused, or failed. */
  code: z.string().optional(),
  /** The property that it was refused for. */
  locator: ResourceLocator.optional(),
  property: PropertyName.optional(),
  message: z.string().optional(),
  parameters: MessageParameters.optional(),
})
export type BatchItem = z.infer<typeof BatchItem>

/** What a batch would do: a line for each target, and every reason to refuse it. */
export const BatchPlan = z.object({
  planToken: PlanToken,
  items: z.array(
    z.object({
      ...target,
      claim: Claim.nullable(),
      /** From 1; absent without waves, and of a target with problems. */
      wave: z.number().int().optional(),
      /** The number of values that change. */
      changes: count,
      /** Of these, the ones that the request sets, with the values that they replace; each cut to 500 characters. */
      values: z.array(PropertyChange),
      /** The number of resources that the operation covers; 0 for a retry. */
      resources: count,
      /** What the operation to retry or to take over failed with; null for other actions. */
      failure: z.object({ errorCode: z.string(), retryable: z.boolean() }).nullable(),
      plugins: z.array(Key),
      /** Those of the plugins without the passing report that the policy of the environment asks for. */
      unchecked: z.array(UncheckedPlugin.extend({ pluginId: Key })),
      problems: z.array(PlanProblem),
    }),
  ),
  /**
   * The references of other installations, which are not targets, that stop resolving when the targets without problems are
   * detached; at most BATCH_REFERENCES_MAX of those that the person may see. Null if nothing is detached.
   */
  broken: z.object({ items: z.array(Referrer), hasMore: z.boolean() }).nullable(),
  /** Of all targets together. */
  notices,
})
export type BatchPlan = z.infer<typeof BatchPlan>

const params = z.strictObject({ batchId: Uuid })
const access = { needs: 'read', where: 'list' } as const
const answer = z.object({ batch: Batch })

export const batchEndpoints = defineEndpoints({
  'GET /batches': {
    summary: 'Batches with targets that the caller may see, newest first',
    access,
    query: z.strictObject({ state: oneOrMore(BATCH_STATES).optional(), ...pageQuery }),
    answer: listOf(Batch),
    codes: [],
  },
  'POST /batches': {
    cost: 'targets',
    summary: 'Make a batch: one action over many targets, which are frozen and planned now',
    // the permission depends on the action, and is checked for every target
    audit: 'batch.create',
    access,
    body: MakeBody,
    answer,
    codes: [
      'NOT_FOUND',
      'PLAN_STALE',
      'PROPERTY_PROTECTED',
      'IDEMPOTENCY_KEY_REUSED',
      'RECENT_SIGN_IN_REQUIRED',
    ],
    recentSignIn: 'takeovers',
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'POST /batches/plan': {
    cost: 'targets',
    summary: 'Preview a batch; writes nothing',
    access,
    body: BatchPlanRequest,
    answer: BatchPlan,
    codes: ['NOT_FOUND', 'PROPERTY_PROTECTED'],
    writesNothing: true,
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'GET /batches/{batchId}': {
    summary: 'One batch with the number of its items in each state',
    access,
    params,
    answer: Batch,
    codes: ['NOT_FOUND'],
  },
  'GET /batches/{batchId}/items': {
    summary: 'The items of a batch in their order, each with its result',
    access,
    params,
    query: z.strictObject({ state: oneOrMore(BATCH_ITEM_STATES).optional(), ...pageQuery }),
    answer: z.object({ items: z.array(BatchItem), next: z.string().optional() }),
    codes: ['NOT_FOUND'],
  },
  'POST /batches/{batchId}/continue': {
    summary: 'Continue a paused batch, or one that waits between waves, with its remaining items',
    audit: 'batch.continue',
    access,
    params,
    body: z
      .strictObject({
        ...mayHaveReason,
        /** The wave that waits, to start it in spite of its conditions. */
        wave: whole(WAVES_MAX).optional(),
      })
      .refine(({ wave, reason }) => wave === undefined || reason !== undefined, {
        path: ['reason'],
        error: 'Must be given with `wave`',
      }),
    answer,
    codes: ['NOT_FOUND', 'BATCH_NOT_PAUSED', 'IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'takeovers',
  },
  'POST /batches/{batchId}/stop': {
    summary: 'Stop a batch: what has started ends, the remaining items are skipped',
    audit: 'batch.stop',
    access,
    params,
    body: z.strictObject(mayHaveReason),
    answer,
    codes: ['NOT_FOUND', 'BATCH_FINISHED', 'IDEMPOTENCY_KEY_REUSED'],
  },
})
