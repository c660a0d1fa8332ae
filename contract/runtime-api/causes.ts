import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { BundleRef } from '#contract/protocol/scope.ts'
import {
  Key,
  oneOrMore,
  pageQuery,
  Person,
  plainName,
  plainText,
  scopeFilter,
  Timestamp,
  Uuid,
} from './common.ts'
import { ContextCause } from './operation-context.ts'
import { Note, Operation, operationFilters } from './operations.ts'
import { CAUSE_STATES, NOTE_MAX, WAITING_FOR_MAX } from './vocabulary.ts'

const count = z.number().int().nonnegative()
export const CauseId = z.string().regex(/^[0-9a-f]{32}$/, 'Must be the ID of a cause')

/** What a cause is called without the words of its messages, which are masked for each reader. */
export const CauseName = z.object({
  causeId: CauseId,
  /** Null if the runtime itself failed. */
  pluginId: Key.nullable(),
  errorCode: z.string(),
})
export type CauseName = z.infer<typeof CauseName>

/** What solved a cause: the first retry after it that succeeded, or what a person says. */
export const SolvedBy = z.object({
  at: Timestamp,
  /** Null, like `reason` and `operationId`, if it was a retry in a scope that the caller may not read. */
  by: Person.nullable(),
  reason: z.string().nullable(),
  /** The operation that succeeded; null if a person says so. */
  operationId: Uuid.nullable(),
})
export type SolvedBy = z.infer<typeof SolvedBy>

/**
 * Failures with the same cause: the same plugin, code and shape of the message, over all bundles and installations. Everything
 * that is counted is what the caller may see.
 */
export const Cause = CauseName.extend({
  state: z.enum(CAUSE_STATES),
  assignee: Person.nullable(),
  /** Whom or what it waits for; null unless it is WAITING. */
  waitingFor: z.string().nullable(),
  /** When the present failures began. */
  openedAt: Timestamp,
  updatedAt: Timestamp,
  /** Null if it was never solved. Before `openedAt`, it is how the cause was solved the last time. */
  solvedBy: SolvedBy.nullable(),
  /** The newest message, with … for what differs between the failed operations. */
  title: z.string(),
  /** The operations that are failed now; none once all were retried or taken over. */
  count,
  scopes: count,
  bundles: count,
  /** When the first and the last of the failed operations failed; of all failures if none is failed now. */
  firstAt: Timestamp,
  lastAt: Timestamp,
  /** The operation that failed last; null if none is failed now. */
  latest: Operation.nullable(),
})
export type Cause = z.infer<typeof Cause>

export const CauseDetail = Cause.extend({
  /** The bundles of the failed operations, the most affected first; at most 50. */
  inBundles: z.array(z.object({ bundle: BundleRef, count, versions: z.array(Key) })),
  /** The failures before `openedAt`; null if there are none. */
  seenBefore: z
    .object({ failures: count, operations: count, firstAt: Timestamp, lastAt: Timestamp })
    .nullable(),
  /** The last change that the platform recorded between the failure and the retry that solved it. */
  changeBefore: ContextCause.nullable(),
  /** Oldest first. */
  notes: z.array(Note),
})
export type CauseDetail = z.infer<typeof CauseDetail>

/** The failures of one plugin, by the hour in which the operations were created. */
export const PluginFailures = z.object({
  /** Null for failures of the runtime itself. */
  pluginId: Key.nullable(),
  /** Of each of the 24 hours, the oldest first. */
  hours: z.array(count),
})
export type PluginFailures = z.infer<typeof PluginFailures>

const { state: _, ...filters } = operationFilters
const params = z.strictObject({ causeId: CauseId })

export const causeEndpoints = defineEndpoints({
  'GET /causes': {
    summary: 'Causes of failed operations, the largest first, among equals the newest',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({
      ...filters,
      ...pageQuery,
      /** Of the cause. */
      state: oneOrMore(CAUSE_STATES).optional(),
      /** The ID of the person who works on the cause. */
      takenBy: z.string().max(256).optional(),
      /**
       * `past`: the causes with which no operation is failed any more, the last failure first. Of the filters, only the scope, the
       * code, the state and `takenBy` apply.
       */
      when: z.enum(['now', 'past']).default('now'),
    }),
    answer: z.object({
      causes: z.array(Cause),
      /** How many there are on all pages; only on the first page. */
      total: count.optional(),
      next: z.string().optional(),
    }),
    codes: [],
  },
  'GET /causes/hours': {
    summary: 'Failed operations of the last 24 hours by plugin and hour, the plugin with most failures first',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject(scopeFilter),
    answer: z.object({
      /** The beginning of the first hour. */
      since: Timestamp,
      /** At most `FAILING_PLUGINS_MAX`. */
      plugins: z.array(PluginFailures),
    }),
    codes: [],
  },
  'GET /causes/{causeId}': {
    summary: 'One cause with its bundles, notes, and what is remembered of it',
    access: { needs: 'read', where: 'list' },
    params,
    answer: CauseDetail,
    codes: ['NOT_FOUND'],
  },
  'PATCH /causes/{causeId}': {
    summary: 'Take a cause, let it wait, or say that it is solved, if nobody has changed it since',
    audit: 'cause.save',
    access: { needs: 'operation:annotate', where: 'anywhere' },
    params,
    body: z.strictObject({
      /** Of the cause that the caller saw. */
      updatedAt: Timestamp,
      state: z.enum(CAUSE_STATES).optional(),
      /** The ID of a person, or null for nobody. */
      assignee: z.string().min(1).max(256).nullable().optional(),
      /** Of a cause that is WAITING. */
      waitingFor: plainName(WAITING_FOR_MAX).nullable().optional(),
      /** What solved it; only with SOLVED. */
      solvedBy: plainText(NOTE_MAX).optional(),
    }),
    answer: z.object({ cause: Cause }),
    codes: ['NOT_FOUND', 'CAUSE_STALE', 'IDEMPOTENCY_KEY_REUSED'],
  },
  'POST /causes/{causeId}/notes': {
    summary: 'Add a note to a cause',
    audit: 'cause.note',
    access: { needs: 'operation:annotate', where: 'anywhere' },
    params,
    body: z.strictObject({ text: plainText(NOTE_MAX) }),
    answer: z.object({ note: Note }),
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
  },
})
