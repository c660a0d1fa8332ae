import * as z from 'zod'
import { isBlank, MISLEADING } from '../protocol/foreign-text.ts'
import { MessageParameters } from '#contract/protocol/envelope.ts'
import { ERROR_CODE_MAX, MESSAGE_MAX } from '#contract/protocol/limits.ts'
import {
  Json,
  Key,
  mapOf,
  PropertyName,
  ResourceLocator,
  Timestamp,
  Uuid,
  WorkspaceId,
} from '#contract/protocol/keys.ts'
import { DURATION } from './moment.ts'
import { NEXT_ACTIONS, NEXT_ACTORS, PLUGIN_READS, PLUGIN_REFUSALS } from './vocabulary.ts'
import { Reference, TypedValue } from '#contract/protocol/typed-value.ts'

/** A time, or how long before now it was. */
export const Moment = z.union(
  [Timestamp, z.string().regex(DURATION)],
  'Must be a time in UTC with milliseconds, or a duration before now such as PT30M, PT24H or P7D',
)

/** How many items a page has at most; `fallback` if the request does not say. */
export const pageLimit = (max: number, fallback: number) =>
  z.coerce
    .number('Must be a number')
    .int('Must be a whole number')
    .min(1, 'Must be at least 1')
    .max(max, `Must be at most ${max}`)
    .default(fallback)

/** `limit` and `cursor` of every list. */
export const pageQuery = {
  limit: pageLimit(200, 50),
  cursor: z.string().max(512, 'Is not a cursor of this list').optional(),
}

/** A page of a list; `nextCursor` is null on the last page. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() })

/** A filter by one or more names, separated by commas: `state=FAILED,WAITING`. */
export const oneOrMore = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(names, `Must be one or more of ${names.join(', ')}, separated by commas`)))

/** The parts of a scope as filters. */
export const scopeFilter = {
  environmentKey: Key.optional(),
  applicationRuntimeId: Key.optional(),
  workspaceId: z.coerce.number().pipe(WorkspaceId).optional(),
}

/** A scope in a path. */
export const scopeParams = z.strictObject({
  environmentKey: Key,
  applicationRuntimeId: Key,
  workspaceId: z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, 'Must be a whole number, 0 or more')
    .transform(Number)
    .pipe(WorkspaceId),
})

export const installationParams = z.strictObject({ bundleInstallId: Uuid })
export const operationParams = z.strictObject({ operationId: Uuid })

/** Text that a person wrote. What would show it in another order than it was written is refused. */
const written = (max: number, allowed: RegExp) =>
  z
    .string()
    .trim()
    .min(1, 'Must not be empty')
    .max(max, `Must be at most ${max} characters`)
    .refine((text) => text === '' || !isBlank(text), 'Must have a character that can be seen')
    .regex(allowed, 'Must not contain control characters or characters that reverse the direction of text')

/** Text of several lines. */
export const plainText = (max: number) =>
  written(max, new RegExp(String.raw`^(?:[\n\r\t]|[^${MISLEADING}])*$`, 'u'))

/** A name of one line. */
export const plainName = (max: number) => written(max, new RegExp(String.raw`^[^${MISLEADING}]*$`, 'u'))

/** Why a person does this; shown with the operation and in the audit log. */
export const Reason = plainText(1000)

/**
 * Makes the change in spite of a freeze. Needs the permission `change:override`, a recent sign-in and a reason; does nothing if
 * nothing refuses the change.
 */
export const Override = z.literal(true).optional()

/** The search text of a list. */
export const searchText = z.string().trim().max(128, 'Must be at most 128 characters').optional()

/** The person who did it, as recorded. */
export const Person = z.object({ id: z.string(), name: z.string() })
export type Person = z.infer<typeof Person>

/** The failure that ended an operation or an attempt. */
export const Failure = z.object({
  errorCode: z.string().min(1).max(ERROR_CODE_MAX),
  message: z.string().min(1).max(MESSAGE_MAX),
  retryable: z.boolean(),
  errorPath: z.array(z.string()).optional(),
  /** Of a message of this platform: its reason and what it names. A plugin's message has none. */
  parameters: MessageParameters.optional(),
  /** The number of attempts in the run, if it ended because no more were allowed; the message is that of the last one. */
  attemptsUsed: z.number().int().positive().optional(),
  /**
   * What this platform itself refused the plugin during the last attempt, if the plugin passes that on: its error path ends
   * in `module-plugin-manager`. Message and code stay those of the plugin, or of an earlier attempt whose result is unknown.
   */
  refusedHere: z
    .object({
      at: Timestamp,
      endpoint: z.enum(PLUGIN_READS),
      rule: z.enum(PLUGIN_REFUSALS),
      /** The code that the plugin got. */
      code: z.string(),
      /** The service that could not be used, if the rule is about one. */
      service: Key.optional(),
    })
    .optional(),
  /** The code of the last attempt, if `errorCode` is PLUGIN_RESULT_UNKNOWN only because its effect, or that of an earlier one, is. */
  attemptCode: z.string().min(1).max(ERROR_CODE_MAX).optional(),
  /** When the plugin accepts calls again, if it asked to wait and no attempt is left. */
  retryFrom: Timestamp.optional(),
  /** Who stopped the automatic retries, if that ended the run; the message is that of the last attempt. */
  stopped: z.object({ by: Person, reason: z.string() }).optional(),
  /**
   * The plugin says that the same request cannot succeed, and names a property that another plugin wrote in this operation
   * or left without a value; or a required one of these is missing. No retry changes them.
   */
  readsWrites: z.literal(true).optional(),
})
export type Failure = z.infer<typeof Failure>

/** Who acts next, what they do, and since when. The table is in docs/runtime-api.md#next-step. */
export const NextStep = z.object({
  actor: z.enum(NEXT_ACTORS),
  action: z.enum(NEXT_ACTIONS),
  since: Timestamp,
  /** What follows once the actor has done it: a retry by support. Absent if there is no second step. */
  afterwards: z.object({ actor: z.enum(NEXT_ACTORS), action: z.enum(NEXT_ACTIONS) }).optional(),
})
export type NextStep = z.infer<typeof NextStep>

/** A property as people see it: for a sensitive value only `isSet`. */
export const PropertyView = z.union([
  z.strictObject({ '@type': z.literal('Data'), isSensitive: z.literal(true), isSet: z.boolean() }),
  z.strictObject({ '@type': z.literal('Data'), value: Json }),
  ...Reference.options,
])
export type PropertyView = z.infer<typeof PropertyView>

/** One property before and after; null means "not set". */
export const PropertyChange = z.object({
  locator: ResourceLocator,
  property: PropertyName,
  before: PropertyView.nullable(),
  after: PropertyView.nullable(),
  /** An UPGRADE removes a sensitive value that its target does not hide (docs/protocol.md#sensitive-values). */
  isPutAside: z.literal(true).optional(),
})
export type PropertyChange = z.infer<typeof PropertyChange>

/** Changes by locator and property; null removes an optional value. */
export const Changes = mapOf(ResourceLocator, mapOf(PropertyName, TypedValue.nullable()))
export type Changes = z.infer<typeof Changes>

export { Json, Key, PropertyName, ResourceLocator, Timestamp, TypedValue, Uuid }
