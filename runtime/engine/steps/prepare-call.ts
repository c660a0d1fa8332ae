import { getOwn } from '#contract/json-schema/json.ts'
import { inSchemaOrder } from '#contract/json-schema/key-order.ts'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { isData, isReference } from '#contract/protocol/data.ts'
import type { LifecycleRequest, ResourceEntry } from '#contract/protocol/lifecycle.ts'
import { LIFECYCLE_VERSION } from '#contract/protocol/limits.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import type { Data, Reference } from '#contract/protocol/typed-value.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import { DEFAULT_CALL_LIMITS } from '../../model/call.ts'
import type { Call, CallLimits } from '../../model/call.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { FrozenPlan, PlannedResource, Writes } from '../../model/plan.ts'
import type { RegistrationRow } from '../../model/plugin.ts'
import type { StaticJudgeInput } from '../calls/judge.ts'
import { sensitiveValues } from '../calls/sensitive-values.ts'
import { operationView } from '../views.ts'
import { inCallOrder } from './next-step.ts'
import { mergedWrites, withWrites } from './plugin-writes.ts'

/** A call whose attempt is about to start, with everything needed to send it and to judge the response. */
export interface PreparedCall {
  operationId: string
  stage: Stage
  pluginId: string
  attempt: number
  /** Attempts of the current run, including this one. */
  runAttempt: number
  run: number
  executionSequence: number
  /** The end of the back-off before this attempt; null if there was none. */
  dueAt: string | null
  /** Retired: the platform answers the attempt itself, and sends nothing. */
  registration: RegistrationRow
  limits: CallLimits
  /** The frozen bytes. */
  bytes: Uint8Array
  expected: LifecycleRequest
  judgeInput: StaticJudgeInput
}

export interface CallContext {
  operation: OperationRow
  plan: FrozenPlan
  /** All calls of the operation. */
  calls: readonly Call[]
  /** The URLs of all registered services: no plugin may write one. Loaded only if the plugin may write something. */
  serviceAddresses: readonly string[]
}

/** The next attempt of a call. A repeat sends the bytes of the first attempt, whatever was written since. */
export function prepareCall(context: CallContext, call: Call, registration: RegistrationRow): PreparedCall {
  const { operation } = context
  const authorization = authorizationOf(context.plan, call.pluginId)
  const limits = callLimits(registration)
  return {
    operationId: operation.operation_id,
    stage: call.stage,
    pluginId: call.pluginId,
    attempt: call.attempts + 1,
    runAttempt: call.runAttempts + 1,
    run: operation.run,
    executionSequence: operation.execution_sequence,
    dueAt: call.nextAttemptAt,
    registration,
    limits,
    ...requestOf(context, call, authorization),
    judgeInput: judgeInputOf(context, authorization, limits),
  }
}

function authorizationOf(plan: FrozenPlan, pluginId: string): CompiledAuthorization {
  const found = plan.plugins.find((plugin) => plugin.pluginId === pluginId)
  if (found === undefined) throw new Error(`the frozen plan has no plugin ${pluginId}`)
  return found
}

/**
 * Whether the addresses of services are needed to judge the response of a plugin: it may write something, or it may resolve
 * references, and then it knows addresses.
 */
export function needsAddresses({ resources }: CompiledAuthorization): boolean {
  return resources.some(
    ({ writeProperties, credentialProperties }) =>
      writeProperties.length > 0 || credentialProperties.length > 0,
  )
}

function requestOf(
  { operation, plan, calls }: CallContext,
  { stage, request }: Call,
  authorization: CompiledAuthorization,
): { bytes: Uint8Array; expected: LifecycleRequest } {
  if (request !== null) {
    // the bytes were written by requestBytes, but the stored row may be damaged
    const expected = parseTrustedJson(new TextDecoder().decode(request)) as LifecycleRequest | null
    if (expected?.operation?.operationId !== operation.operation_id || expected.stage !== stage)
      throw new Error('a frozen request is damaged')
    return { bytes: request, expected }
  }
  const writes = mergedWrites(calls, operation.operation_type)
  const expected = buildRequest(operationView(operation), { stage, authorization, plan, writes })
  return { bytes: requestBytes(expected), expected }
}

function judgeInputOf(
  { plan, calls, serviceAddresses }: CallContext,
  authorization: CompiledAuthorization,
  { timeoutMs }: CallLimits,
): PreparedCall['judgeInput'] {
  const definitions = plan.resources.map((resource) => [resource.locator, resource.definitions] as const)
  return {
    authorization,
    definitions: Object.fromEntries(definitions),
    sensitiveValues: sensitiveValues(
      plan,
      calls.map(({ writes }) => writes),
    ),
    timeoutMs,
    serviceAddresses,
  }
}

/**
 * The first request of a new operation. No plugin has written anything before it, so it is known when the operation is
 * created, and the statement that leases the operation can also start the call. Null if several plugins are called
 * first, or none.
 */
export function firstRequest(
  operation: OperationRow,
  plan: FrozenPlan,
): { pluginId: string; bytes: Uint8Array } | null {
  const [first, second] = inCallOrder(plan.plugins, operation.operation_type)
  if (first === undefined || second?.order === first.order) return null
  const call = { stage: 'BEFORE_RESOURCES', authorization: first, plan, writes: {} } as const
  return { pluginId: first.pluginId, bytes: requestBytes(buildRequest(operationView(operation), call)) }
}

export function callLimits(plugin: {
  timeout_ms: number | null
  max_attempts: number | null
  max_backoff_ms: number | null
}): CallLimits {
  return {
    timeoutMs: plugin.timeout_ms ?? DEFAULT_CALL_LIMITS.timeoutMs,
    maxAttempts: plugin.max_attempts ?? DEFAULT_CALL_LIMITS.maxAttempts,
    maxBackoffMs: plugin.max_backoff_ms ?? DEFAULT_CALL_LIMITS.maxBackoffMs,
  }
}

export interface RequestedOperation {
  operationId: string
  operationType: OperationType
  currentVersion: string | null
  targetVersion: string
  executionSequence: number
  installation: InstallationIdentity
}

/**
 * The lifecycle request of one plugin in one stage. It contains only authorized resources, with only those authorized
 * properties that are set. `writes` are the earlier writes of plugins in the same operation.
 */
export function buildRequest(
  operation: RequestedOperation,
  call: { stage: Stage; authorization: CompiledAuthorization; plan: FrozenPlan; writes: Writes },
): LifecycleRequest {
  const { stage, authorization, plan, writes } = call
  const byLocator = new Map(plan.resources.map((resource) => [resource.locator, resource]))
  const entries = authorization.resources.flatMap((authorized): [string, ResourceEntry][] => {
    const resource = byLocator.get(authorized.resource)
    return resource === undefined ? [] : [[resource.locator, entryOf(resource, authorized, writes)]]
  })
  return {
    contractVersion: LIFECYCLE_VERSION,
    pluginId: authorization.pluginId,
    executionSequence: operation.executionSequence,
    installation: operation.installation,
    operation: {
      operationId: operation.operationId,
      operationType: operation.operationType,
      currentVersion: operation.currentVersion,
      targetVersion: operation.targetVersion,
    },
    stage,
    configuration: authorization.configuration,
    resources: Object.fromEntries(entries),
  }
}

/** The bytes that are stored before the first attempt and sent in every attempt. */
export function requestBytes(request: LifecycleRequest): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(request))
}

function entryOf(
  resource: PlannedResource,
  authorized: CompiledAuthorization['resources'][number],
  writes: Writes,
): ResourceEntry {
  const values = withWrites(resource, writes)
  const properties: [string, Data][] = []
  for (const name of new Set(authorized.readProperties)) {
    const value = getOwn(values, name)
    if (value === undefined || !isData(value)) continue
    // the definition decides what is sensitive, not the flag of the value
    const { isSensitive = false, schema = true } = getOwn(resource.definitions, name) ?? {}
    const ordered = inSchemaOrder(schema, value.value)
    properties.push([name, { '@type': 'Data', value: ordered, ...(isSensitive && { isSensitive }) }])
  }
  const references: [string, Reference][] = []
  for (const name of new Set([...authorized.readProperties, ...authorized.credentialProperties])) {
    const value = getOwn(values, name)
    if (value !== undefined && isReference(value)) references.push([name, value])
  }
  return {
    action: resource.action,
    currentVersion: resource.currentVersion,
    targetVersion: resource.targetVersion,
    properties: Object.fromEntries(properties),
    references: Object.fromEntries(references),
  }
}
