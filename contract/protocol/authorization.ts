import * as z from 'zod'
import { Key, ModuleId, PropertyName, ResourceLocator, SchemaVersion, Values } from './keys.ts'
import { LIFECYCLE_VERSION } from './limits.ts'
import { FAILURE_POLICIES } from './vocabulary.ts'

/** A plugin's own business configuration. */
export const PluginConfiguration = z.strictObject({ schemaVersion: SchemaVersion, values: Values })
export type PluginConfiguration = z.infer<typeof PluginConfiguration>

/** Plugins are called in ascending `order`, descending in a DETACH; equal ones together. */
export const PluginOrder = z.number('Must be a number').int('Must be a whole number')
export type PluginOrder = z.infer<typeof PluginOrder>

export const FailurePolicy = z.enum(FAILURE_POLICIES, 'Must be FAIL_FAST')
export type FailurePolicy = z.infer<typeof FailurePolicy>

const propertyLists = {
  readProperties: z.array(PropertyName),
  writeProperties: z.array(PropertyName),
  credentialProperties: z.array(PropertyName),
}

/** What the runtime compiles from the exact Module ownership for one plugin; never part of an author manifest. */
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
 * What an author asks for on one Module. Strict: a compiled entry, which has a `resource` locator, is refused here.
 * `credentialProperties` are those whose references the plugin may resolve to access material.
 */
export const AuthorAuthorization = z.strictObject({
  object: z.strictObject({ type: z.literal('MODULE', 'Must be MODULE'), moduleId: ModuleId }),
  ...propertyLists,
})
export type AuthorAuthorization = z.infer<typeof AuthorAuthorization>
