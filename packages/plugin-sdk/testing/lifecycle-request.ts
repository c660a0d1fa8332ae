import { wrapData } from '../../../contract/protocol/data.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import type { LifecycleRequest, ResourceEntry } from '../../../contract/protocol/lifecycle.ts'
import type { Reference } from '../../../contract/protocol/typed-value.ts'
import type { OperationType, Stage } from '../../../contract/protocol/vocabulary.ts'

export const LOCATOR = 'production/crm-suite/MODULE/crm-core'

export interface RequestOptions {
  pluginId?: string
  operationId?: string
  operationType?: OperationType
  stage?: Stage
  executionSequence?: number
  bundleInstallId?: string
  /** Business values of the only resource. */
  values?: Record<string, JsonValue>
  references?: Record<string, Reference>
  action?: ResourceEntry['action']
}

/** A realistic lifecycle request for one Module. */
export function lifecycleRequest({
  pluginId = 'tenant-provisioner',
  operationId = 'operation-1',
  operationType = 'INSTALL',
  stage = 'BEFORE_RESOURCES',
  executionSequence = 1,
  bundleInstallId = 'install-1',
  values = { displayName: 'Northwind', plan: 'team', seats: 7 },
  references = {},
  action = operationType,
}: RequestOptions = {}): LifecycleRequest {
  const currentVersion = operationType === 'INSTALL' ? null : '1.0.0'
  return {
    contractVersion: '6.0.0',
    pluginId,
    executionSequence,
    installation: {
      environmentKey: 'live',
      applicationRuntimeId: 'runtime-1',
      workspaceId: 7,
      bundleInstallId,
      bundle: { environmentKey: 'production', bundleId: 'crm-suite' },
    },
    operation: { operationId, operationType, currentVersion, targetVersion: '1.0.0' },
    stage,
    configuration: { schemaVersion: '1.0.0', values: {} },
    resources: {
      [LOCATOR]: {
        action,
        currentVersion,
        targetVersion: '1.0.0',
        properties: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, wrapData(value)]),
        ),
        references,
      },
    },
  }
}
