import type { PluginConfiguration } from '../../../contract/protocol/authorization.ts'
import { decode, decodeData } from '../../../contract/protocol/data.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import type { LifecycleRequest, OperationIdentity } from '../../../contract/protocol/lifecycle.ts'
import type { InstallationIdentity } from '../../../contract/protocol/scope.ts'
import type { Reference, TypedValue } from '../../../contract/protocol/typed-value.ts'
import type { ResourceAction, Stage } from '../../../contract/protocol/vocabulary.ts'
import type { ResolvedReference } from './resolve-reference.ts'
import type { HandlerResult } from './result.ts'
import type { Awaitable } from './awaitable.ts'

/** One Module as this plugin may see it; properties that are not set or not authorized are absent. */
export interface CallResource {
  /** Bundle environment, bundle id, MODULE and name, joined by `/`. */
  locator: string
  action: ResourceAction
  currentVersion: string | null
  targetVersion: string
  /** The business values, unwrapped. */
  values: Readonly<Record<string, JsonValue>>
  references: Readonly<Record<string, Reference>>
  /** Values and references in their complete wrappers. */
  properties: Readonly<Record<string, TypedValue>>
}

/** The argument of a handler: the validated and decoded request, and the three things that a handler can do. */
export interface LifecycleCall<Tx, Resource = CallResource> {
  pluginId: string
  operation: OperationIdentity
  stage: Stage
  /** The same in every attempt of the operation; higher in each later operation of the installation. */
  executionSequence: number
  installation: InstallationIdentity
  /** The business configuration of the plugin. */
  configuration: PluginConfiguration
  resources: readonly Resource[]
  /**
   * One step of the business change. It is rolled back, and throws, if a later operation of the installation has
   * arrived meanwhile or another process has taken over this call. Use it to record an intent before an external
   * effect.
   */
  transaction<Result>(work: (tx: Tx) => Awaitable<Result>): Promise<Result>
  /**
   * The last step: commits the business change together with its remembered response, or neither. Return its result from
   * the handler. The change is rolled back if `work` throws or its writes are rejected.
   */
  conclude<Result extends HandlerResult>(work: (tx: Tx) => Awaitable<Result>): Promise<Result>
  /** Resolves a reference property of one of the resources for a single business call. Throws ReferenceNotResolved. */
  resolve(locator: LocatorOf<Resource>, propertyKey: ReferenceOf<Resource>): Promise<ResolvedReference>
}

type LocatorOf<Resource> = Resource extends { locator: infer Locator extends string } ? Locator : string
type ReferenceOf<Resource> = Resource extends { references: infer References }
  ? keyof References & string
  : string

/** The read-only part of a call. */
export const describeCall = (request: LifecycleRequest) => ({
  pluginId: request.pluginId,
  operation: request.operation,
  stage: request.stage,
  executionSequence: request.executionSequence,
  installation: request.installation,
  configuration: request.configuration,
  resources: Object.entries(request.resources).map(
    ([locator, { properties, references, ...entry }]): CallResource => ({
      locator,
      ...entry,
      values: decodeData(properties),
      references,
      properties: decode({ properties, references }),
    }),
  ),
})
