import * as z from 'zod'
import { PluginConfiguration } from './authorization.ts'
import { Key, mapOf, PositiveInteger, PropertyName, ResourceLocator } from './keys.ts'
import { LIFECYCLE_VERSION } from './limits.ts'
import { OperationIdentity, Outcome, ResourceAction, Stage } from './operation.ts'
import { InstallationIdentity } from './scope.ts'
import { Data, Reference } from './typed-value.ts'

/** One resource as a plugin sees it: what is not set, or not authorized, is absent. */
export const ResourceEntry = z.strictObject({
  action: ResourceAction,
  currentVersion: Key.nullable(),
  targetVersion: Key,
  properties: mapOf(PropertyName, Data),
  references: mapOf(PropertyName, Reference),
})
export type ResourceEntry = z.infer<typeof ResourceEntry>

/** What the response must repeat unchanged. */
const echo = {
  contractVersion: z.literal(LIFECYCLE_VERSION, `Must be ${LIFECYCLE_VERSION}`),
  pluginId: Key,
  executionSequence: PositiveInteger,
  installation: InstallationIdentity,
  operation: OperationIdentity,
  stage: Stage,
}

/** The call of one plugin in one stage. The bytes are the same in every repeat. */
export const LifecycleRequest = z.strictObject({
  ...echo,
  configuration: PluginConfiguration,
  resources: mapOf(ResourceLocator, ResourceEntry),
})
export type LifecycleRequest = z.infer<typeof LifecycleRequest>

/** The data of a plugin's envelope: the echo, the outcome, and what it wrote by locator and property, wrapped as Data. */
export const LifecycleResponse = z.object({
  ...echo,
  outcome: Outcome,
  resources: mapOf(ResourceLocator, mapOf(PropertyName, Data)),
})
export type LifecycleResponse = z.infer<typeof LifecycleResponse>
