import type { PluginConfiguration } from '#contract/protocol/authorization.ts'
import { decode, decodeData } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { OperationIdentity } from '#contract/protocol/operation.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { Reference, TypedValue } from '#contract/protocol/typed-value.ts'
import type { ResourceAction, Stage } from '#contract/protocol/vocabulary.ts'
import type { ResolvedReference } from './resolve-reference.ts'
import type { HandlerResult } from './result.ts'
import type { Awaitable } from './store.ts'

/** One Module as this plugin may see it; what is not set, or not authorized, is absent. */
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

/** What a handler gets: the request, checked and decoded, and the three things that it may do with it. */
export interface LifecycleCall<Tx> {
  pluginId: string
  operation: OperationIdentity
  stage: Stage
  /** The same in every repeat of the operation; higher in each later operation of the installation. */
  executionSequence: number
  installation: InstallationIdentity
  /** The plugin's own business configuration. */
  configuration: PluginConfiguration
  resources: readonly CallResource[]
  /**
   * A step of the business change. It is rolled back, and throws, when a later operation of the installation has come
   * meanwhile or another process has taken this call over. For an intent that is noted before an effect elsewhere.
   */
  transaction<Result>(work: (tx: Tx) => Awaitable<Result>): Promise<Result>
  /**
   * The last step: commits the business change together with the memory of its answer, or neither. Return what it
   * gives. The change is rolled back when `work` throws or its writes are refused.
   */
  conclude(work: (tx: Tx) => Awaitable<HandlerResult>): Promise<HandlerResult>
  /** Resolves a reference property of one of the resources for one business call. Throws ReferenceNotResolved. */
  resolve(locator: string, propertyKey: string): Promise<ResolvedReference>
}

/** The part of a call that is only read. */
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
