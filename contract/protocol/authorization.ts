import * as z from 'zod'
import { Key, ModuleId, PropertyName, ResourceLocator, SchemaVersion, Values } from './keys.ts'
import { LIFECYCLE_VERSION } from './limits.ts'
import { FAILURE_POLICIES } from './vocabulary.ts'

/** The business configuration of a plugin. */
export const PluginConfiguration = z.strictObject({ schemaVersion: SchemaVersion, values: Values })
export type PluginConfiguration = z.infer<typeof PluginConfiguration>

/** Plugins are called in ascending `order`, in DETACH in descending order; equal ones run in parallel. */
export const PluginOrder = z.number('Must be a number').int('Must be a whole number')
export type PluginOrder = z.infer<typeof PluginOrder>

export const FailurePolicy = z.enum(FAILURE_POLICIES, 'Must be FAIL_FAST')
export type FailurePolicy = z.infer<typeof FailurePolicy>

const propertyLists = {
  readProperties: z.array(PropertyName),
  writeProperties: z.array(PropertyName),
  credentialProperties: z.array(PropertyName),
}

/** What the runtime compiles for one plugin from the exact Module ownership; never part of an author manifest. */
export const CompiledAuthorization = z.strictObject({
  pluginId: Key,
  protocolVersion: z.literal(LIFECYCLE_VERSION, `Must be ${LIFECYCLE_VERSION}`),
  order: PluginOrder,
  failurePolicy: FailurePolicy,
  configuration: PluginConfiguration,
  resources: z.array(z.strictObject({ resource: ResourceLocator, ...propertyLists })),
})
export type CompiledAuthorization = z.infer<typeof CompiledAuthorization>

/**
 * What an author requests on one Module. Strict: a compiled entry, which has a `resource` locator, is rejected here.
 * `credentialProperties` are the references that the plugin may resolve to access material.
 */
export const AuthorAuthorization = z.strictObject({
  object: z.strictObject({ type: z.literal('MODULE', 'Must be MODULE'), moduleId: ModuleId }),
  ...propertyLists,
})
export type AuthorAuthorization = z.infer<typeof AuthorAuthorization>
