import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { PositiveInteger } from '#contract/protocol/keys.ts'
import { RESOURCE_KINDS } from '#contract/protocol/locator.ts'
import { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { InstallationIdentity } from '#contract/protocol/scope.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { Claim } from './claim.ts'
import {
  Key,
  listOf,
  Moment,
  oneOrMore,
  pageQuery,
  Person,
  PropertyName,
  PropertyView,
  ResourceLocator,
  scopeFilter,
  Timestamp,
  TypedValue,
} from './common.ts'
import { Manager } from './managers.ts'
import { VALUE_ORIGINS } from './vocabulary.ts'

/** One property in one ACTIVE installation. */
export const PropertyRow = z.object({
  installation: InstallationIdentity,
  /** Of the installation; null before its first version. */
  title: z.string().nullable(),
  version: Key,
  claim: Claim.nullable(),
  locator: ResourceLocator,
  resourceTitle: z.string(),
  property: PropertyName,
  /** Of the installed version. */
  definition: PropertyDefinition,
  /** The plugin that writes it; people may not. Null for every other property. */
  writtenBy: Key.nullable(),
  /** Null if it has no value. */
  value: PropertyView.nullable(),
  /** Null if it has no value. */
  origin: z.enum(VALUE_ORIGINS).nullable(),
  manager: Manager.nullable(),
  /** The snapshot that set or removed the value; null if that never happened. */
  lastChange: z
    .object({
      snapshotVersion: PositiveInteger,
      at: Timestamp,
      by: Person,
      reason: z.string().nullable(),
    })
    .nullable(),
  /**
   * For a hidden value: rows of the same page with the same number have equal values. Only for people who may change the
   * configuration of the scope, and not for a value that they set last themselves.
   */
  equalityGroup: PositiveInteger.optional(),
})
export type PropertyRow = z.infer<typeof PropertyRow>

const FILTER_VALUE_MAX = 4_096

/** A typed value as JSON in a query. */
const jsonValue = z
  .string()
  .max(FILTER_VALUE_MAX, `Must be at most ${FILTER_VALUE_MAX} characters`)
  .transform((text, context): unknown => {
    try {
      return parseStrictJson(text)
    } catch (error) {
      if (!(error instanceof StrictJsonError)) throw error
      context.addIssue({ code: 'custom', message: 'Must be a typed value as JSON' })
      return z.NEVER
    }
  })
  .pipe(TypedValue)

export const propertyEndpoints = defineEndpoints({
  'GET /properties': {
    cost: 3,
    summary: 'One property of a bundle in every ACTIVE installation, with its value and its last change',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({
      bundleId: Key,
      kind: z.enum(RESOURCE_KINDS),
      resource: Key,
      property: PropertyName,
      bundleEnvironmentKey: Key.optional(),
      ...scopeFilter,
      origin: oneOrMore(VALUE_ORIGINS).optional(),
      /** Only values that are equal to this one. A hidden value is neither equal nor different. */
      equals: jsonValue.optional(),
      differs: jsonValue.optional(),
      /** Of the last change. */
      since: Moment.optional(),
      until: Moment.optional(),
      ...pageQuery,
    }),
    answer: listOf(PropertyRow),
    codes: [],
  },
})
