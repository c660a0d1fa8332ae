import { inSchemaOrder } from '#contract/json-schema/key-order.ts'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { isData, isReference } from '#contract/protocol/data.ts'
import type { LifecycleRequest, ResourceEntry } from '#contract/protocol/lifecycle.ts'
import { LIFECYCLE_VERSION } from '#contract/protocol/limits.ts'
import type { Data, Reference } from '#contract/protocol/typed-value.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import { withWrites } from '../steps/plugin-writes.ts'
import type { FrozenPlan, PlannedResource, Writes } from '../../model/plan.ts'
import { getOwn } from '#contract/json-schema/json.ts'

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
