import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { WRITE_RULES } from '#contract/protocol/call-causes.ts'
import { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { BundleRef, InstallationIdentity } from '#contract/protocol/scope.ts'
import { OPERATION_TYPES, OUTCOMES, RESOURCE_ACTIONS, STAGES } from '#contract/protocol/vocabulary.ts'
import {
  Failure,
  Json,
  Key,
  listOf,
  NextStep,
  oneOrMore,
  operationParams,
  pageQuery,
  Person,
  PropertyChange,
  PropertyName,
  PropertyView,
  plainText,
  ResourceLocator,
  scopeFilter,
  searchText,
  Moment,
  Timestamp,
  Uuid,
} from './common.ts'
import { PluginLinks, PluginOwner, Retirement, Runbook } from './plugins.ts'
import {
  BATCH_ACTIONS,
  IN_DOUBT,
  NEXT_ACTIONS,
  NEXT_ACTORS,
  NOTE_MAX,
  OPERATION_SORTS,
  OPERATION_STATES,
  OPERATIONS_TOTAL_MAX,
  PHASES,
  RETRY_HELPS,
  STEP_STATES,
} from './vocabulary.ts'

const count = z.number().int().nonnegative()

export const Operation = z.object({
  operationId: Uuid,
  operationType: z.enum(OPERATION_TYPES),
  currentVersion: Key.nullable(),
  targetVersion: Key,
  installation: InstallationIdentity,
  /** The title of the installation. Absent from the responses to writes, and from receipts of earlier versions. */
  title: z.string().optional(),
  executionSequence: z.number().int().positive(),
  run: z.number().int().positive(),
  state: z.enum(OPERATION_STATES),
  phase: z.enum(PHASES),
  /** The call that it is at or failed at, in its phase, with the attempts of this run; null if there is none. */
  call: z.object({ pluginId: Key, attempts: count }).nullable(),
  takesOver: Uuid.nullable(),
  takenOverBy: Uuid.nullable(),
  failure: Failure.nullable(),
  /** The cause of its failure; null if it is not FAILED or TAKEN_OVER. Absent from receipts of earlier versions. */
  causeId: z.string().nullable().optional(),
  requestedBy: Person,
  /** The person who works on it; null if nobody does. */
  assignee: Person.nullable(),
  reason: z.string().nullable(),
  /** It was started or retried in spite of what refused it; absent otherwise. */
  overridden: z.literal(true).optional(),
  /** The change request that started it; absent otherwise. */
  changeRequestId: Uuid.optional(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
  nextAttemptAt: Timestamp.nullable(),
  /**
   * When it was in progress while the database went back in time; null if it never was. Absent from receipts of earlier
   * versions.
   */
  inDoubtSince: Timestamp.nullable().optional(),
  /** The start of the current run, and how long the runs before it took. */
  runStartedAt: Timestamp.nullable(),
  earlierRunsMs: z.number().nonnegative(),
  nextStep: NextStep,
  /** Null unless it is FAILED. The table is in docs/runtime-api.md#next-step. */
  retryHelps: z.enum(RETRY_HELPS).nullable(),
})
export type Operation = z.infer<typeof Operation>

const milliseconds = z.number().nonnegative()

/**
 * When an attempt reached each point, in milliseconds since the worker held it, by the worker's own clock. Until `sentMs`
 * it waited for the worker; until `connectedMs` for a connection; until `answeredMs` for the head of the plugin's
 * response; until `endedMs` for its rest. A point that was not reached is null. The runtime spent the rest of
 * `durationMs` before and after it to record the attempt.
 */
export const AttemptTiming = z.object({
  sentMs: milliseconds,
  connectedMs: milliseconds.nullable(),
  answeredMs: milliseconds.nullable(),
  endedMs: milliseconds,
})
export type AttemptTiming = z.infer<typeof AttemptTiming>

/** What the head of a plugin's response tells besides its status. */
export const WireEvidence = z.object({
  /**
   * Of a response that could not be used: `retry-after`, `date`, `server`, `via`, `age`, `x-cache`, the origin of `location`,
   * and the scheme and the error of `www-authenticate`; bounded, masked. It is the text of a stranger.
   */
  headers: z.record(z.string(), z.string()).optional(),
  /** How long the plugin asked to wait, with HTTP 429 or 503. */
  retryAfterSeconds: z.number().int().nonnegative().optional(),
  /** How far the clock of the plugin's host is behind the platform's, if more than 5 s; negative if it is ahead. */
  clockBehindSeconds: z.number().int().optional(),
})
export type WireEvidence = z.infer<typeof WireEvidence>

/** One transmission of a plugin call, with its response; sensitive values are masked. */
export const Attempt = z.object({
  attempt: z.number().int().positive(),
  run: z.number().int().positive(),
  late: z.boolean(),
  /**
   * When the call could be made: its back-off ended, the call before it was recorded, or the run was requested. Null if it
   * is not known, absent from receipts of earlier versions.
   */
  dueAt: Timestamp.nullable().optional(),
  startedAt: Timestamp,
  durationMs: milliseconds.nullable(),
  /** Null if it was not measured or not sent, absent from receipts of earlier versions. */
  timing: AttemptTiming.nullable().optional(),
  outcome: z.enum(OUTCOMES).nullable(),
  failure: Failure.nullable(),
  httpStatus: z.number().int().nullable(),
  response: Json,
  /** Null if there is nothing to tell, absent from receipts of earlier versions. */
  wire: WireEvidence.nullable().optional(),
  /** The plugin was retired: nothing was sent, and the platform answered NOT_APPLIED itself. */
  byPlatform: z.literal(true).optional(),
})
export type Attempt = z.infer<typeof Attempt>

export const PluginCall = z.object({
  pluginId: Key,
  order: z.number().int(),
  outcome: z.enum(OUTCOMES).nullable(),
  /** The number of attempts in the current run, and of all attempts whose effect on the plugin is unknown. */
  runAttempts: count,
  uncertainAttempts: count,
  /**
   * The platform answered in the place of a retired plugin, and the result of an earlier attempt is unknown, in this call or in the
   * operation that was taken over: what the plugin did then may still have an effect.
   */
  effectUnknown: z.literal(true).optional(),
  /** Every attempt sends the same bytes. Null until they are frozen; sensitive values are masked. */
  request: Json,
  /**
   * The first 20 and the last 20 in a response, all of them in a receipt. They are numbered from 1 without gaps, so the
   * number of the last one is their count.
   */
  attempts: z.array(Attempt),
  /** The properties that the call wrote, once it has succeeded. */
  writes: z.array(z.object({ locator: ResourceLocator, property: PropertyName, value: PropertyView })),
})
export type PluginCall = z.infer<typeof PluginCall>

/** How many operations are assigned at once. */
export const ASSIGNED_MAX = 1_000

export const MAX_NOTES = 200

/** A note of a person on an operation: text, and never markup. */
export const Note = z.object({
  number: z.number().int().positive(),
  author: Person,
  at: Timestamp,
  text: z.string(),
})
export type Note = z.infer<typeof Note>

const NoteText = plainText(NOTE_MAX)

const Pointer = z.string().nullable()

/**
 * A write for which the plugin had no permission: the rule that refused it, what the plugin may do instead, and where the
 * manifest says so. Names that only the plugin knows are null: they may contain anything.
 */
export const RefusedWrite = z.object({
  rule: z.enum(WRITE_RULES),
  stage: z.enum(STAGES),
  pluginId: Key,
  locator: ResourceLocator.nullable(),
  property: PropertyName.nullable(),
  /** What the frozen authorization permits the plugin on the resource; null if it does not name the resource. */
  permitted: CompiledAuthorization.shape.resources.element.omit({ resource: true }).nullable(),
  /** The plugin that may write the property; null if none may. */
  writer: z.object({ pluginId: Key, manifestPath: Pointer }).nullable(),
  /** The published version from which the authorization was compiled. */
  manifest: z.object({ bundle: BundleRef, version: Key }),
  /**
   * A JSON pointer to what the manifest lets the plugin write on the resource, or else to its resources. Null if the
   * manifest cannot be read.
   */
  manifestPath: Pointer,
})
export type RefusedWrite = z.infer<typeof RefusedWrite>

export const OperationDetail = Operation.extend({
  /** Why the write that it failed with was refused; absent from receipts of earlier versions. */
  refusedWrite: RefusedWrite.nullable().optional(),
  stages: z.array(
    z.object({ stage: z.enum(STAGES), state: z.enum(STEP_STATES), calls: z.array(PluginCall) }),
  ),
  resources: z.array(
    z.object({
      locator: ResourceLocator,
      action: z.enum(RESOURCE_ACTIONS),
      currentVersion: Key.nullable(),
      targetVersion: Key,
      state: z.enum(STEP_STATES),
    }),
  ),
  changes: z.array(PropertyChange),
  /** Retries by people, oldest first, each with the end of the run before it. */
  retries: z.array(
    z.object({
      run: z.number().int().positive(),
      startedAt: Timestamp,
      startedBy: Person,
      reason: z.string().nullable(),
      failedAt: Timestamp.nullable(),
      failure: Failure.nullable(),
    }),
  ),
  /** Who took the operation over, when, and why. */
  takeover: z.object({ at: Timestamp, by: Person, reason: z.string().nullable() }).nullable(),
  /** Oldest first; absent from receipts of earlier versions. */
  notes: z.array(Note).optional(),
  /** Whether retention removed its attempts and requests; absent from receipts of earlier versions. */
  attemptsRemoved: z.boolean().optional(),
  /** The batches that started it, or a run of it, newest first; absent from receipts of earlier versions. */
  batches: z.array(z.object({ batchId: Uuid, action: z.enum(BATCH_ACTIONS) })).optional(),
  /** The current registrations of its plugins; a plugin that is not registered is absent. */
  plugins: z.array(
    z.object({
      pluginId: Key,
      title: z.string(),
      endpoint: z.string(),
      /** Since the operation was created, newest first and at most 20; absent from receipts of earlier versions. */
      endpoints: z.array(z.object({ since: Timestamp, endpoint: z.string() })).optional(),
      enabled: z.boolean(),
      /** Null unless it is retired; absent from receipts of earlier versions. */
      retired: Retirement.nullable().optional(),
      owner: PluginOwner.nullable(),
      /** For the codes with which this operation failed; absent if there are none. */
      runbooks: z.array(Runbook).optional(),
      /** Where its logs and traces are; absent if that is not registered. */
      links: PluginLinks.optional(),
      timeoutMs: z.number().int(),
      maxAttempts: z.number().int(),
    }),
  ),
})
export type OperationDetail = z.infer<typeof OperationDetail>

/** The filters of lists and counts of operations. */
export const operationFilters = {
  ...scopeFilter,
  bundleInstallId: Uuid.optional(),
  bundleEnvironmentKey: Key.optional(),
  bundleId: Key.optional(),
  operationType: oneOrMore(OPERATION_TYPES).optional(),
  state: oneOrMore(OPERATION_STATES).optional(),
  phase: oneOrMore(PHASES).optional(),
  nextActor: oneOrMore(NEXT_ACTORS).optional(),
  nextAction: oneOrMore(NEXT_ACTIONS).optional(),
  pluginId: Key.optional(),
  /** The plugin that it failed at, as its error path says; `bundle-runtime` for failures of the runtime itself. */
  failedAt: Key.optional(),
  errorCode: z.string().max(128).optional(),
  requestedBy: z.string().max(256).optional(),
  /** The id of a person, or UNASSIGNED. */
  assignee: z.string().max(256).optional(),
  inDoubt: z.enum(IN_DOUBT).optional(),
  /** The ID of a cause. */
  causeId: z.string().max(64).optional(),
  since: Moment.optional(),
  until: Moment.optional(),
  /** Words in any order, and when it was: `mail since Tuesday`. docs/runtime-api.md#search-for-operations */
  q: searchText,
  /** Where the days of `q` begin at midnight: a name of the IANA time zone database; otherwise UTC. */
  timeZone: z.string().max(64).optional(),
}

/** How a search text was read. */
export const SearchReading = z.object({
  /** The words that each operation has. */
  words: z.array(z.string()),
  /** The words that are left out, because no operation has them all. */
  leftOut: z.array(z.string()),
  /** What the text says about time, as typed; null if it says nothing. */
  phrase: z.string().nullable(),
  since: Timestamp.nullable(),
  until: Timestamp.nullable(),
})
export type SearchReading = z.infer<typeof SearchReading>

export const operationEndpoints = defineEndpoints({
  'GET /operations': {
    summary: 'Operations of all scopes that the caller may see, newest first, or by the time they ended',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({
      ...operationFilters,
      ...pageQuery,
      sort: z.enum(OPERATION_SORTS).default('-createdAt'),
    }),
    answer: listOf(Operation).extend({
      /**
       * Of a search for words that are frequent alone and rare together: it has read the operations to this time of the sort
       * order, and found fewer than `limit`, perhaps none. `nextCursor` continues there.
       */
      searchedTo: Timestamp.optional(),
      /** Absent without `q`. */
      search: SearchReading.optional(),
    }),
    codes: [],
  },
  'GET /operations/counts': {
    summary: 'Counts of operations by state in time buckets, for charts',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({ ...operationFilters, bucket: z.enum(['minute', 'hour', 'day']).default('hour') }),
    answer: z.object({
      bucket: z.enum(['minute', 'hour', 'day']),
      buckets: z.array(
        z.object({ since: Timestamp, counts: z.partialRecord(z.enum(OPERATION_STATES), z.number().int()) }),
      ),
    }),
    codes: [],
  },
  'GET /operations/total': {
    summary: 'How many operations match the filters, up to 10,000',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject(operationFilters),
    answer: z.object({
      total: z.number().int().min(0).max(OPERATIONS_TOTAL_MAX),
      /** There are more than `total`; if `total` is less than 10,000, there may be more: the words are too frequent to count. */
      isMore: z.boolean(),
    }),
    codes: [],
  },
  'GET /operations/{operationId}': {
    summary:
      'One operation with its stages, plugin calls, resources and changes, and the first and last 20 attempts of each call',
    access: { needs: 'read', where: 'object' },
    params: operationParams,
    answer: OperationDetail,
    codes: ['NOT_FOUND'],
  },
  'GET /operations/{operationId}/attempts': {
    summary: 'The attempts of one plugin call of an operation, oldest first',
    access: { needs: 'read', where: 'object' },
    params: operationParams,
    query: z.strictObject({
      stage: z.enum(STAGES),
      pluginId: Key,
      /** The number of the first attempt of the first page. */
      from: z.coerce
        .number('Must be a number')
        .int('Must be a whole number')
        .min(1, 'Must be at least 1')
        .max(2_147_483_647, 'Must be at most 2147483647')
        .default(1),
      ...pageQuery,
    }),
    answer: listOf(Attempt),
    codes: ['NOT_FOUND'],
  },
  'PUT /operations/{operationId}/assignee': {
    summary: 'Assign an operation to a person or to nobody, if it is still assigned as the caller saw it',
    audit: 'operation.assign',
    access: { needs: 'operation:annotate', where: 'object' },
    params: operationParams,
    body: z.strictObject({
      assignee: z.string().min(1).max(256).nullable(),
      /** The id of the assignee that the caller saw. */
      expected: z.string().max(256).nullable(),
    }),
    answer: z.object({ assignee: Person.nullable() }),
    codes: ['NOT_FOUND', 'OPERATION_ASSIGNEE_CHANGED', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'POST /operations/assign': {
    cost: 'targets',
    summary: 'Assign operations to a person or to nobody, replacing their assignees',
    audit: 'operation.assign',
    access: { needs: 'operation:annotate', where: 'anywhere' },
    body: z.strictObject({
      operationIds: z
        .array(Uuid)
        .min(1, 'Must have at least 1 item')
        .max(ASSIGNED_MAX, `Must have at most ${ASSIGNED_MAX} items`),
      assignee: z.string().min(1).max(256).nullable(),
    }),
    answer: z.object({
      assignee: Person.nullable(),
      assigned: count,
      /** Those that the caller may not assign, or that do not exist. */
      refused: z.array(Uuid),
    }),
    codes: ['IDEMPOTENCY_KEY_REUSED'],
  },
  'POST /operations/{operationId}/notes': {
    summary: 'Add a note to an operation',
    audit: 'operation.note',
    access: { needs: 'operation:annotate', where: 'object' },
    params: operationParams,
    body: z.strictObject({ text: NoteText }),
    answer: z.object({ note: Note }),
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  },
})
