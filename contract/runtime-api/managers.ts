import * as z from 'zod'
import { Key } from '#contract/protocol/keys.ts'
import { PropertyName, Reason, ResourceLocator } from './common.ts'

const TAKEOVERS_MAX = 10_000

/**
 * Who manages a saved property: `person`, `apply:<name>`, `plugin:<pluginId>` or `default:<version>`
 * (docs/runtime-api.md#managers-of-properties).
 */
export const Manager = z
  .union([
    z.literal('person'),
    z.templateLiteral(['apply:', z.string()]),
    z.templateLiteral(['plugin:', z.string()]),
    z.templateLiteral(['default:', z.string()]),
  ])
  .meta({ description: 'person, apply:<name>, plugin:<pluginId> or default:<version>' })
export type Manager = z.infer<typeof Manager>

/**
 * Marks a save as a declarative apply. It changes only properties that it manages or that nobody has set, and those
 * that it takes over.
 */
export const Apply = z.strictObject({
  /** Identifies the source of the document, such as a repository. */
  name: Key,
  takeOver: z
    .array(z.strictObject({ locator: ResourceLocator, property: PropertyName, reason: Reason }))
    .max(TAKEOVERS_MAX, `Must have at most ${TAKEOVERS_MAX} entries`)
    .default([]),
})
export type Apply = z.infer<typeof Apply>
