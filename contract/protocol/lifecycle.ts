import * as z from 'zod'
import { PluginConfiguration } from './authorization.ts'
import { Key, OperationId, mapOf, PositiveInteger, PropertyName, ResourceLocator } from './keys.ts'
import { LIFECYCLE_VERSION } from './limits.ts'
import { InstallationIdentity } from './scope.ts'
import { Data, Reference } from './typed-value.ts'
import * as vocabulary from './vocabulary.ts'
import { OUTCOMES } from './vocabulary.ts'

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `Must be one of ${names.join(', ')}`)

export const OperationType = oneOf(vocabulary.OPERATION_TYPES)
export type OperationType = z.infer<typeof OperationType>

export const Stage = oneOf(vocabulary.STAGES)
export type Stage = z.infer<typeof Stage>

export const Outcome = oneOf(vocabulary.OUTCOMES)
export type Outcome = z.infer<typeof Outcome>

export const ResourceAction = oneOf(vocabulary.RESOURCE_ACTIONS)
export type ResourceAction = z.infer<typeof ResourceAction>

/** One operation: `currentVersion` is null in an INSTALL and equals `targetVersion` in a CONFIGURE. */
export const OperationIdentity = z
  .strictObject({
    operationId: OperationId,
    operationType: OperationType,
    currentVersion: Key.nullable(),
    targetVersion: Key,
  })
  .refine((operation) => operation.operationType !== 'INSTALL' || operation.currentVersion === null, {
    path: ['currentVersion'],
    message: 'Must be null in an INSTALL',
  })
  .refine(
    (operation) =>
      operation.operationType !== 'CONFIGURE' || operation.currentVersion === operation.targetVersion,
    { path: ['currentVersion'], message: 'Must equal targetVersion in a CONFIGURE' },
  )
export type OperationIdentity = z.infer<typeof OperationIdentity>

/** One resource as a plugin sees it; properties that are not set or not authorized are absent. */
export const ResourceEntry = z.strictObject({
  action: ResourceAction,
  currentVersion: Key.nullable(),
  targetVersion: Key,
  properties: mapOf(PropertyName, Data),
  references: mapOf(PropertyName, Reference),
})
export type ResourceEntry = z.infer<typeof ResourceEntry>

/** The fields that the response must repeat unchanged. */
const echo = {
  contractVersion: z.literal(LIFECYCLE_VERSION, `Must be ${LIFECYCLE_VERSION}`),
  pluginId: Key,
  executionSequence: PositiveInteger,
  installation: InstallationIdentity,
  operation: OperationIdentity,
  stage: Stage,
}

/** The call of one plugin in one stage. Every attempt sends the same bytes. */
export const LifecycleRequest = z.strictObject({
  ...echo,
  configuration: PluginConfiguration,
  resources: mapOf(ResourceLocator, ResourceEntry),
})
export type LifecycleRequest = z.infer<typeof LifecycleRequest>

/** Written properties by locator and name, wrapped as Data. */
const Written = mapOf(ResourceLocator, mapOf(PropertyName, Data))
type Written = z.infer<typeof Written>

/**
 * The data of a plugin's envelope: the echo, the outcome and the writes. `resources` is required with APPLIED and
 * VERIFIED and optional with NOT_APPLIED. With FAILED and UNKNOWN `resources` is ignored, valid or not.
 */
export const LifecycleResponse = z.discriminatedUnion(
  'outcome',
  [
    z.object({ ...echo, outcome: z.enum(['APPLIED', 'VERIFIED']), resources: Written }),
    z.object({ ...echo, outcome: z.literal('NOT_APPLIED'), resources: Written.default({}) }),
    z.object({
      ...echo,
      outcome: z.enum(['FAILED', 'UNKNOWN']),
      resources: z
        .unknown()
        .optional()
        .transform((): Written => ({})),
    }),
  ],
  `Must be one of ${OUTCOMES.join(', ')}`,
)
export type LifecycleResponse = z.infer<typeof LifecycleResponse>

/** Field names of a lifecycle response. */
export const LIFECYCLE_RESPONSE_FIELDS: readonly string[] = [...Object.keys(echo), 'outcome', 'resources']
