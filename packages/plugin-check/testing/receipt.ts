import type { JsonObject } from '../../../contract/json-schema/json.ts'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import { MASK } from '../../../contract/protocol/data.ts'
import type { OperationType, Stage } from '../../../contract/protocol/vocabulary.ts'
import { digestOf } from '../src/receipt/digest.ts'

export const LOCATOR = 'production/crm-suite/MODULE/crm-core'
const AT = '2026-11-20T10:00:00.000Z'
export const OPERATION_ID = '019aa000-0000-7000-8000-000000000001'
const PERSON = { id: 'ada', name: 'Ada' }

const VERSION_INVALID = {
  errorCode: 'VERSION_INVALID',
  message: 'A version must have three numbers',
  retryable: false,
}

/** The runtime's refusal of a response in which the reference plugin wrote a property that it may not write. */
export const WRITE_REFUSED = {
  errorCode: 'PLUGIN_RESPONSE_INVALID',
  message: 'reference-plugin is not allowed to write color',
  retryable: false,
  parameters: {
    reason: 'callWriteNotAllowed',
    plugin: 'reference-plugin',
    property: 'color',
    locator: LOCATOR,
  },
}

/** What the runtime records of a response that it refuses. */
const REFUSED_RECORD = {
  size: 700,
  contentType: 'application/json',
  known: { contractVersion: '1.0.0', errorCode: '0', outcome: 'APPLIED' },
}

const WRITE_TRACE = {
  rule: 'PROPERTY_NOT_AUTHORIZED',
  stage: 'BEFORE_RESOURCES',
  pluginId: 'reference-plugin',
  locator: LOCATOR,
  property: 'color',
  permitted: {
    readProperties: ['displayName', 'plan'],
    writeProperties: ['tenantId', 'accessToken', 'region'],
    credentialProperties: ['mail'],
  },
  writer: null,
  manifest: { bundle: { environmentKey: 'production', bundleId: 'crm-suite' }, version: '1.0.0' },
  manifestPath: null,
}

/** A receipt of an operation of the reference plugin that failed, as the console exports it. */
export function receiptOf(
  operationType: OperationType,
  targetVersion: string,
  failure: Omit<typeof WRITE_REFUSED, 'parameters'> = VERSION_INVALID,
): JsonObject {
  const isRefused = failure === WRITE_REFUSED
  const currentVersion = operationType === 'INSTALL' ? null : '1.0.0'
  const identity = {
    installation: {
      environmentKey: 'production',
      applicationRuntimeId: 'shop',
      workspaceId: 7,
      bundleInstallId: '019aa000-0000-7000-8000-000000000002',
      bundle: { environmentKey: 'production', bundleId: 'crm-suite' },
    },
    operation: { operationId: OPERATION_ID, operationType, currentVersion, targetVersion },
  }
  const request = (stage: Stage): LifecycleRequest => ({
    contractVersion: '6.0.0',
    pluginId: 'reference-plugin',
    executionSequence: operationType === 'INSTALL' ? 1 : 2,
    ...identity,
    stage,
    configuration: { schemaVersion: '1.0.0', values: {} },
    resources: {
      [LOCATOR]: {
        action: operationType,
        currentVersion,
        targetVersion,
        properties: {
          displayName: { '@type': 'Data', value: 'Northwind' },
          plan: { '@type': 'Data', value: MASK, isSensitive: true },
        },
        references: { mail: { '@type': 'ServiceReference', serviceId: 'mail' } },
      },
    },
  })
  const attempt = {
    attempt: 1,
    run: 1,
    late: false,
    startedAt: AT,
    durationMs: 12,
    outcome: null,
    failure,
    httpStatus: 200,
    response: isRefused
      ? REFUSED_RECORD
      : {
          errorCode: failure.errorCode,
          data: { message: failure.message, retryable: false },
          contractVersion: '1.0.0',
        },
  }
  const call = {
    pluginId: 'reference-plugin',
    order: 0,
    outcome: null,
    runAttempts: 0,
    uncertainAttempts: 0,
    request: null,
    attempts: [],
    writes: [],
  }
  const operation = {
    ...identity.operation,
    installation: identity.installation,
    executionSequence: operationType === 'INSTALL' ? 1 : 2,
    run: 1,
    state: 'FAILED',
    phase: 'BEFORE_RESOURCES',
    takesOver: null,
    takenOverBy: null,
    failure,
    refusedWrite: isRefused ? WRITE_TRACE : null,
    requestedBy: PERSON,
    reason: null,
    createdAt: AT,
    startedAt: AT,
    finishedAt: AT,
    nextAttemptAt: null,
    runStartedAt: AT,
    earlierRunsMs: 0,
    nextStep: { actor: 'PLUGIN_OWNER', action: 'FIX_CAUSE', since: AT },
    stages: [
      {
        stage: 'BEFORE_RESOURCES',
        state: 'FAILED',
        calls: [{ ...call, runAttempts: 1, request: request('BEFORE_RESOURCES'), attempts: [attempt] }],
      },
      { stage: 'AFTER_RESOURCES', state: 'PENDING', calls: [call] },
    ],
    resources: [{ locator: LOCATOR, action: operationType, currentVersion, targetVersion, state: 'PENDING' }],
    changes: [],
    retries: [],
    takeover: null,
    plugins: [],
  }
  return withDigest({
    format: 'bundle-console/operation-receipt',
    version: 1,
    exportedAt: AT,
    exportedBy: PERSON,
    operation,
  })
}

/** The receipt with a new digest, because its content was changed. */
export function withDigest(receipt: JsonObject): JsonObject {
  const content = { ...receipt }
  delete content['sha256']
  return { ...content, sha256: digestOf(content) }
}
