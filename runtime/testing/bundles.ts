import { wrapData } from '#contract/protocol/data.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { install } from '../use-cases/installations/install.ts'
import type { TestRuntime } from './runtime.ts'

// Two bundles for tests: one with everything that a bundle can have, one without a plugin.

export const SCOPE: Scope = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }
export const CORE = 'dev/crm/MODULE/core'
export const GATEWAY = 'dev/crm/GATEWAY/public'
export const LEDGER = 'dev/billing/MODULE/ledger'

const text = { type: 'string', maxLength: 20 } as const

/** Module `core` has a plain, a sensitive, a plugin-written, a reference and the protected property. */
export const crm: AuthorManifest = {
  bundle: { environmentKey: 'dev', bundleId: 'crm' },
  version: '1.0.0',
  title: 'Customers',
  resources: [
    {
      kind: 'MODULE',
      name: 'core',
      title: 'Core',
      moduleId: 'crm-core',
      properties: {
        name: { kind: 'DATA', schema: text, required: true },
        seats: { kind: 'DATA', schema: { type: 'integer', minimum: 1 }, default: 5 },
        password: { kind: 'DATA', schema: text, isSensitive: true },
        tenantId: { kind: 'DATA', schema: text, required: true },
        publisher: { kind: 'SERVICE_REFERENCE' },
        instanceRefProperty: { kind: 'DATA', schema: { type: 'string' } },
      },
    },
    {
      kind: 'GATEWAY',
      name: 'public',
      title: 'Public gateway',
      properties: { domain: { kind: 'DATA', schema: text } },
    },
  ],
  plugins: [
    {
      pluginId: 'tenants',
      order: 10,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: [
        {
          object: { type: 'MODULE', moduleId: 'crm-core' },
          readProperties: ['name', 'password', 'publisher'],
          writeProperties: ['tenantId'],
          credentialProperties: ['publisher'],
        },
      ],
    },
  ],
}

export const billing: AuthorManifest = {
  bundle: { environmentKey: 'dev', bundleId: 'billing' },
  version: '1.0.0',
  title: 'Billing',
  resources: [
    {
      kind: 'MODULE',
      name: 'ledger',
      title: 'Ledger',
      moduleId: 'billing-ledger',
      properties: { currency: { kind: 'DATA', schema: text } },
    },
  ],
  plugins: [],
}

export interface Installed {
  bundleInstallId: string
  operation: Operation
}

/** Starts the installation of a published version and leaves its operation unfinished. */
export async function startInstall(
  runtime: TestRuntime,
  manifest: AuthorManifest,
  { scope = SCOPE, properties, copyFrom }: { scope?: Scope; properties?: Changes; copyFrom?: string } = {},
): Promise<Installed> {
  const body = {
    scope,
    bundle: manifest.bundle,
    targetVersion: manifest.version,
    ...(properties && { properties }),
    ...(copyFrom !== undefined && { copyFrom: { bundleInstallId: copyFrom } }),
  }
  const answer = await runtime.write((context) => install(context, { params: {}, query: {}, body }))
  return { bundleInstallId: answer.installation.installation.bundleInstallId, operation: answer.operation }
}

/** Installs both bundles, which are already published, so that they are ACTIVE in the scope. */
export async function installBoth(
  runtime: TestRuntime,
  scope: Scope = SCOPE,
): Promise<{ crm: string; billing: string }> {
  const one = await startInstall(runtime, crm, { scope, properties: { [CORE]: { name: wrapData('Acme') } } })
  await runtime.succeed(one.operation.operationId, { [CORE]: { tenantId: wrapData('t-1') } })
  const two = await startInstall(runtime, billing, { scope })
  await runtime.succeed(two.operation.operationId)
  return { crm: one.bundleInstallId, billing: two.bundleInstallId }
}
