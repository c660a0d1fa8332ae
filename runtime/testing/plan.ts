import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Data } from '#contract/protocol/typed-value.ts'
import { buildRequest } from '../engine/steps/prepare-call.ts'
import type { FrozenPlan, PlannedResource } from '../model/plan.ts'

export const LOCATOR = 'source/crm/MODULE/tenants'
export const SECRET = 'hunter2-and-more'

export const data = (value: JsonValue, isSensitive?: true): Data & JsonObject => ({
  '@type': 'Data',
  value,
  ...(isSensitive && { isSensitive }),
})

/** One MODULE with all kinds of properties; the plugin writes `tenantId` and `token`. */
export function plannedResource(overrides: Partial<PlannedResource> = {}): PlannedResource {
  return {
    locator: LOCATOR,
    kind: 'MODULE',
    title: 'Tenants',
    moduleId: 'module-tenants',
    action: 'INSTALL',
    currentVersion: null,
    targetVersion: '1.0.0',
    properties: {
      region: data('eu'),
      password: data(SECRET, true),
      publisher: { '@type': 'ServiceReference', serviceId: 'events' },
      instanceRefProperty: data('the-installation'),
    },
    definitions: {
      region: { kind: 'DATA', schema: { type: 'string' } },
      password: { kind: 'DATA', schema: { type: 'string' }, isSensitive: true },
      publisher: { kind: 'SERVICE_REFERENCE' },
      hidden: { kind: 'DATA', schema: true },
      tenantId: { kind: 'DATA', schema: { type: 'string' } },
      token: { kind: 'DATA', schema: { type: 'string' }, isSensitive: true },
      note: { kind: 'DATA', schema: true },
      instanceRefProperty: { kind: 'DATA', schema: { type: 'string' } },
    },
    writtenBy: { tenantId: 'provisioner', token: 'provisioner', note: 'provisioner' },
    ...overrides,
  }
}

export function authorization(overrides: Partial<CompiledAuthorization> = {}): CompiledAuthorization {
  return {
    pluginId: 'provisioner',
    protocolVersion: '6.0.0',
    order: 1,
    failurePolicy: 'FAIL_FAST',
    configuration: { schemaVersion: '1', values: { size: 'small' } },
    resources: [
      {
        resource: LOCATOR,
        readProperties: ['region', 'password', 'tenantId', 'token', 'instanceRefProperty'],
        writeProperties: ['tenantId', 'token', 'note'],
        credentialProperties: ['publisher'],
      },
    ],
    ...overrides,
  }
}

/** A plan over one resource with these plugins; by default with one that reads and writes. */
export function planWith(plugins: CompiledAuthorization[] = [authorization()]): FrozenPlan {
  return { resources: [plannedResource()], plugins, changes: [] }
}

/** A plugin that may only read `region`. */
export function reader(pluginId: string, order: number): CompiledAuthorization {
  return authorization({
    pluginId,
    order,
    resources: [
      { resource: LOCATOR, readProperties: ['region'], writeProperties: [], credentialProperties: [] },
    ],
  })
}

/** The request of a plan's plugin in the first stage of a CONFIGURE. */
export function plannedRequest(plan: FrozenPlan): LifecycleRequest {
  const operation = {
    operationId: '0190a000-0000-7000-8000-000000000001',
    operationType: 'CONFIGURE',
    currentVersion: '1.0.0',
    targetVersion: '1.0.0',
    executionSequence: 10,
    installation: {
      environmentKey: 'prod',
      applicationRuntimeId: 'shop',
      workspaceId: 7,
      bundleInstallId: '0190a000-0000-7000-8000-000000000002',
      bundle: { environmentKey: 'source', bundleId: 'crm' },
    },
  } as const
  return buildRequest(operation, {
    stage: 'BEFORE_RESOURCES',
    authorization: authorization(),
    plan,
    writes: {},
  })
}
