import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { isTimeZone } from '#contract/json-schema/time-zone.ts'
import { MessageParameters } from '#contract/protocol/envelope.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { Key, listOf, Person, plainText, Reason, scopeFilter, scopeParams, Timestamp } from './common.ts'
import { CHANGE_KINDS, WEEKDAYS } from './vocabulary.ts'

/** How many freezes there can be. */
export const FREEZES_MAX = 200
/** Environments or scopes of one freeze. */
const PLACES_MAX = 200
export const FREEZE_MESSAGE_MAX = 300

const places = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .min(1, 'Must have at least 1 item')
    .max(PLACES_MAX, `Must have at most ${PLACES_MAX} items`)
    .refine(
      (items) => new Set(items.map((one) => JSON.stringify(one))).size === items.length,
      'Must not have the same item twice',
    )

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time of day such as 18:00')

/**
 * On each of these days, from one time of day to another in the zone of the freeze. If `to` is not after `from`, it is a time of
 * the next day.
 */
export const Weekly = z.strictObject({
  days: z
    .array(z.enum(WEEKDAYS))
    .min(1, 'Must have at least 1 item')
    .max(WEEKDAYS.length)
    .refine((days) => new Set(days).size === days.length, 'Must not have the same item twice'),
  from: TimeOfDay,
  to: TimeOfDay,
})
export type Weekly = z.infer<typeof Weekly>

export const Zone = z
  .string()
  .refine(isTimeZone, 'Must be a name of the IANA time zone database, such as Europe/Berlin')

const settings = {
  /** One of `environments` and `scopes`; the other is null or absent. */
  environments: places(Key).nullable().optional(),
  scopes: places(Scope).nullable().optional(),
  /** Once, with `to`; or `weekly`. */
  from: Timestamp.nullable().optional(),
  to: Timestamp.nullable().optional(),
  weekly: Weekly.nullable().optional(),
  timeZone: Zone,
  blocks: z
    .array(z.enum(CHANGE_KINDS))
    .min(1, 'Must have at least 1 item')
    .max(CHANGE_KINDS.length)
    .refine((kinds) => new Set(kinds).size === kinds.length, 'Must not have the same item twice'),
  /** Whether failed operations can be retried, stopped and taken over meanwhile. */
  allowsRecovery: z.boolean().default(true),
  /** What people read who cannot change anything: why, and whom to ask. */
  message: plainText(FREEZE_MESSAGE_MAX),
}

const FreezeBody = z
  .strictObject({
    ...settings,
    /** `updatedAt` of the freeze that the caller saw; null if the name must be new. Without it, the freeze is replaced, whatever it is. */
    updatedAt: Timestamp.nullable().optional(),
    reason: Reason.optional(),
  })
  .refine(({ environments, scopes }) => (environments == null) !== (scopes == null), {
    path: ['environments'],
    error: 'Must be given, or `scopes`, and not both',
  })
  .refine(({ from, to, weekly }) => (from == null) === (to == null) && (from == null) !== (weekly == null), {
    path: ['weekly'],
    error: 'Must be given, or `from` and `to`, and not both',
  })
  .refine(({ from, to }) => from == null || to == null || from < to, {
    path: ['to'],
    error: 'Must be after `from`',
  })

/** A time in which changes are refused. */
export const Freeze = z.object({
  name: Key,
  environments: z.array(Key).nullable(),
  scopes: z.array(Scope).nullable(),
  from: Timestamp.nullable(),
  to: Timestamp.nullable(),
  weekly: Weekly.nullable(),
  timeZone: z.string(),
  blocks: z.array(z.enum(CHANGE_KINDS)),
  allowsRecovery: z.boolean(),
  message: z.string(),
  /** Whether it blocks now, and until when; windows that follow each other are one. `until` is null if it never ends. */
  active: z.object({ until: Timestamp.nullable() }).nullable(),
  /** When it blocks next; null if it is active, or over. */
  next: z.object({ from: Timestamp, to: Timestamp }).nullable(),
  updatedAt: Timestamp,
  updatedBy: Person,
})
export type Freeze = z.infer<typeof Freeze>

/** Why changes of one kind are refused in a scope now, whatever they are. */
export const Restriction = z.object({
  kind: z.enum(CHANGE_KINDS),
  errorCode: z.string(),
  message: z.string(),
  parameters: MessageParameters,
  /** When it ends by itself; null if it does not. */
  until: Timestamp.nullable(),
  /** It also refuses to retry, stop and take over operations. */
  blocksRecovery: z.boolean(),
})
export type Restriction = z.infer<typeof Restriction>

const params = z.strictObject({ name: Key })

export const freezeEndpoints = defineEndpoints({
  'GET /freezes': {
    summary: 'Freezes of the scopes that the caller may see, the active ones first',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({ ...scopeFilter, active: z.literal('true').optional() }),
    answer: listOf(Freeze),
    codes: [],
  },
  'GET /freezes/{name}': {
    summary: 'One freeze',
    access: { needs: 'read', where: 'list' },
    params,
    query: z.strictObject({}),
    answer: Freeze,
    codes: ['NOT_FOUND'],
  },
  'PUT /freezes/{name}': {
    summary: 'Create a freeze, or change it: a time in which changes are refused, once or weekly',
    audit: 'freeze.save',
    // the body names the places; the use case checks each
    access: { needs: 'policy:write', where: 'anywhere' },
    params,
    body: FreezeBody,
    answer: Freeze,
    codes: ['FREEZE_STALE', 'IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'replacements',
  },
  'DELETE /freezes/{name}': {
    summary: 'Delete a freeze',
    audit: 'freeze.delete',
    access: { needs: 'policy:write', where: 'anywhere' },
    params,
    answer: z.object({ name: Key }),
    codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'RECENT_SIGN_IN_REQUIRED'],
    recentSignIn: 'always',
  },
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions': {
    summary:
      'Which kinds of changes would be refused in a scope now, and why; for what to say before anybody types',
    access: { needs: 'read', where: 'path' },
    params: scopeParams,
    query: z.strictObject({}),
    answer: z.object({ items: z.array(Restriction) }),
    codes: [],
  },
})
