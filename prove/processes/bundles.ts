import { wrapData } from '#contract/protocol/data.ts'
import type { AuthorManifest, ManifestPlugin, ManifestResource } from '#contract/protocol/manifest.ts'
import type { Changes } from '#contract/runtime-api/common.ts'

// Two bundles, each in two versions: `shop` calls its plugins one after the other, `mill` calls two of them together.
// The second version brings a Module and properties, so that an UPGRADE adds, and one back again drops.

export const PLUGIN_IDS = ['accounts', 'storage', 'network'] as const
export const BUNDLE_IDS = ['shop', 'mill'] as const
export type BundleId = (typeof BUNDLE_IDS)[number]
export const VERSIONS = ['1.0.0', '2.0.0'] as const
export type Version = (typeof VERSIONS)[number]

/** A text of sensitive values only, which therefore may stand nowhere else. */
export const CANARY = 'canary-5f1c'

const bundleOf = (bundleId: BundleId) => ({ environmentKey: 'source', bundleId })
const text = { type: 'string', maxLength: 60 } as const

function resources(bundleId: BundleId, version: Version): ManifestResource[] {
  const core: ManifestResource = {
    kind: 'MODULE',
    name: 'core',
    title: 'Core',
    moduleId: `${bundleId}-core`,
    properties: {
      name: { kind: 'DATA', schema: text, required: true },
      seats: { kind: 'DATA', schema: { type: 'integer', minimum: 1 }, default: 5 },
      password: { kind: 'DATA', schema: text, isSensitive: true },
      tenantId: { kind: 'DATA', schema: text },
      address: { kind: 'DATA', schema: text },
      instanceRefProperty: { kind: 'DATA', schema: { type: 'string' } },
      ...(version === '2.0.0' && { region: { kind: 'DATA', schema: text, default: 'north' } as const }),
    },
  }
  const gateway: ManifestResource = {
    kind: 'GATEWAY',
    name: 'edge',
    title: 'Edge',
    properties: { domain: { kind: 'DATA', schema: text } },
  }
  const extra: ManifestResource = {
    kind: 'MODULE',
    name: 'extra',
    title: 'Extra',
    moduleId: `${bundleId}-extra`,
    properties: { size: { kind: 'DATA', schema: { type: 'integer' }, default: 1 } },
  }
  return version === '1.0.0' ? [core, gateway] : [core, gateway, extra]
}

function plugins(bundleId: BundleId): ManifestPlugin[] {
  const plugin = (pluginId: string, order: number, writes: string[]): ManifestPlugin => ({
    pluginId,
    order,
    failurePolicy: 'FAIL_FAST',
    configuration: { schemaVersion: '1', values: {} },
    resources: [
      {
        object: { type: 'MODULE', moduleId: `${bundleId}-core` },
        readProperties: ['name', 'seats', 'password', 'tenantId'],
        writeProperties: writes,
        credentialProperties: [],
      },
    ],
  })
  const accounts = plugin('accounts', 10, ['tenantId'])
  const storage = plugin('storage', 20, ['address'])
  return bundleId === 'shop' ? [accounts, storage] : [accounts, storage, plugin('network', 20, [])]
}

export function manifestOf(bundleId: BundleId, version: Version): AuthorManifest {
  return {
    bundle: bundleOf(bundleId),
    version,
    title: bundleId,
    resources: resources(bundleId, version),
    plugins: plugins(bundleId),
  }
}

export const refOf = bundleOf
export const coreOf = (bundleId: BundleId): string => `source/${bundleId}/MODULE/core`

/** Values of the Module that differ from one number to the next. */
export function valuesOf(bundleId: BundleId, number: number): Changes {
  return {
    [coreOf(bundleId)]: {
      name: wrapData(`name ${number}`),
      seats: wrapData(number),
      password: wrapData(`${CANARY}-${number}`),
    },
  }
}
