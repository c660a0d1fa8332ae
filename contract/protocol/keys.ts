import * as z from 'zod'
import { isJsonObject, isJsonValue, RESERVED_NAMES } from '../json-schema/json.ts'
import type { JsonObject, JsonValue } from '../json-schema/json.ts'
import { KEY_MAX } from './limits.ts'
import { KEY_PATTERN, LOCATOR_PATTERN, PROPERTY_NAME_PATTERN } from './locator.ts'

const notReserved = (text: string): boolean => !RESERVED_NAMES.includes(text)
const RESERVED = `Must not be ${RESERVED_NAMES.join(', ')}`

/** An environmentKey, applicationRuntimeId, bundleId, pluginId or version: 1 to 128 of `A-Z a-z 0-9 . _ ~ -`. */
export const Key = z
  .string()
  .regex(KEY_PATTERN, `Must be 1 to ${KEY_MAX} characters of A-Z a-z 0-9 . _ ~ -, and not . or ..`)
export type Key = z.infer<typeof Key>

/** A Key that may be used as a map key. */
export const ServiceId = Key.refine(notReserved, RESERVED)
export type ServiceId = z.infer<typeof ServiceId>

export const PropertyName = z
  .string()
  .regex(
    PROPERTY_NAME_PATTERN,
    `Must be 1 to ${KEY_MAX} characters of A-Z a-z 0-9 _ . - that begin with a letter or _, and not ${RESERVED_NAMES.join(', ')}`,
  )
export type PropertyName = z.infer<typeof PropertyName>

/** A business key of a ServiceReferenceMap: 1 to 128 characters without control characters. */
export const MapKey = z
  .string()
  .regex(/^[^\p{Cc}]{1,128}$/u, `Must be 1 to ${KEY_MAX} characters without control characters`)
  .refine(notReserved, RESERVED)
export type MapKey = z.infer<typeof MapKey>

/** Four segments joined by `/`, compared byte for byte: bundle environment, bundle id, kind, resource name. */
export const ResourceLocator = z
  .string()
  .regex(
    LOCATOR_PATTERN,
    'Must be bundle environment, bundle id, MODULE or GATEWAY or AGENT or TIMER, and resource name, joined by /',
  )
export type ResourceLocator = z.infer<typeof ResourceLocator>

const Identifier = z
  .string()
  .min(1, 'Must not be empty')
  .max(KEY_MAX, `Must be at most ${KEY_MAX} characters`)

/** Globally unique. Ours are UUIDv7; those of other runtimes are accepted unchanged. */
export const InstallId = Identifier
export type InstallId = z.infer<typeof InstallId>

/** Unchanged when the operation is retried. Ours are UUIDv7; those of other runtimes are accepted unchanged. */
export const OperationId = Identifier
export type OperationId = z.infer<typeof OperationId>

/** The Module identity that the catalog returns. */
export const ModuleId = Identifier
export type ModuleId = z.infer<typeof ModuleId>

/** Version of the contract for a plugin's business configuration; independent of the lifecycle version. */
export const SchemaVersion = Identifier
export type SchemaVersion = z.infer<typeof SchemaVersion>

export const Uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'Must be a UUID in lower case')
export type Uuid = z.infer<typeof Uuid>

export const WorkspaceId = z
  .number('Must be a number')
  .int('Must be a whole number up to 2^53 - 1')
  .min(0, 'Must be 0 or more')
export type WorkspaceId = z.infer<typeof WorkspaceId>

/** An executionSequence or snapshotVersion: 1 to 2^53 - 1. */
export const PositiveInteger = z
  .number('Must be a number')
  .int('Must be a whole number up to 2^53 - 1')
  .min(1, 'Must be at least 1')
export type PositiveInteger = z.infer<typeof PositiveInteger>

const NO_TIME = 'Must be a time in UTC with milliseconds, such as 2026-01-31T08:00:00.000Z'

/** RFC 3339 in UTC with milliseconds, the format in which we write every instant. */
export const Timestamp = z.iso
  .datetime({ precision: 3, error: NO_TIME })
  // our calendar has no year 0, and neither do databases
  .refine((text) => !text.startsWith('0000'), NO_TIME)
export type Timestamp = z.infer<typeof Timestamp>

/** Any JSON, present: an absent value is not null. */
// The refinement proves the narrower type; z.json() would recurse as deep as the body nests.
export const Json = z.unknown().refine(isJsonValue, 'Must be a JSON value') as unknown as z.ZodType<
  JsonValue,
  JsonValue
>

/** A JSON object whose content belongs to the business: kept unchanged, including `__proto__`. */
export const Values = z
  .unknown()
  .refine((value) => isJsonObject(value) && isJsonValue(value), 'Must be a JSON object')
  .meta({ type: 'object' }) as unknown as z.ZodType<JsonObject, JsonObject>

/**
 * A map with checked keys. zod's own record drops a key named `__proto__` silently and only reports that a key is
 * invalid; here the key is rejected, and the message is that of the key's schema.
 */
export const mapOf = <Name extends z.ZodType<string, string>, Item extends z.ZodType>(
  name: Name,
  item: Item,
) =>
  z.preprocess(
    (value, context) => {
      if (isJsonObject(value) && Object.hasOwn(value, '__proto__'))
        context.addIssue({ code: 'custom', path: ['__proto__'], message: RESERVED, input: value })
      return value
    },
    z.record(name, item, {
      error: (issue) =>
        issue.code === 'invalid_key'
          ? (issue.issues[0]?.message ?? 'Is not a key of this map')
          : 'Must be an object',
    }),
  )
