import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { AuthorManifest, ManifestPlugin, ManifestResource } from '#contract/protocol/manifest.ts'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { INTEGER, manifest, module, plugin, resource, TEXT } from './manifests.ts'

// The bundles that the simulation and the process suites install, each in an old and a new version.

/** A substring of every sensitive value and of nothing else: found in plain text anywhere, it is a leak. */
export const CANARY = 'canary-7f3a91'

export const PLUGIN_IDS = ['tenants', 'keys', 'mailer', 'reports'] as const

/** What each plugin writes on the Module `core`; a plugin on the SDK writes it only in this stage. */
export const WRITES: Readonly<Record<string, PluginWrite | undefined>> = {
  tenants: { property: 'tenantId', isSensitive: false, stage: 'BEFORE_RESOURCES' },
  keys: { property: 'token', isSensitive: true, stage: 'AFTER_RESOURCES' },
}

interface PluginWrite {
  property: string
  isSensitive: boolean
  stage: Stage
}

export const bundleRef = (bundleId: string): BundleRef => ({ environmentKey: 'dev', bundleId })
export const coreOf = (bundleId: string): string => `dev/${bundleId}/MODULE/core`

const core = (bundleId: string, more: ManifestResource['properties'] = {}): ManifestResource =>
  module(bundleId, 'core', {
    name: { ...TEXT, default: 'unnamed' },
    seats: { ...INTEGER, default: 5 },
    password: { ...TEXT, isSensitive: true },
    instanceRefProperty: TEXT,
    ...more,
  })
const second = (bundleId: string): ManifestResource =>
  module(bundleId, 'second', { name: { ...TEXT, default: 'unnamed' } })
const gateway = resource('GATEWAY', 'public', { domain: { ...TEXT, default: 'example.test' } })
const timer = resource('TIMER', 'nightly', { cron: { ...TEXT, default: '0 3 * * *' } })

const caller = (bundleId: string, pluginId: string, order: number): ManifestPlugin => {
  const written = WRITES[pluginId]
  return plugin(bundleId, pluginId, order, {
    reads: ['name', 'seats', 'password', 'instanceRefProperty'],
    writes: written === undefined ? [] : [written.property],
  })
}

const TENANT = { tenantId: TEXT }
const TOKEN = { token: { ...TEXT, isSensitive: true } } as const

/** `orders` calls its plugins in sequence, `equals` two of them in parallel; `plain` has no plugin. */
export const BUNDLES = {
  orders: [
    manifest(bundleRef('orders'), '1.0.0', {
      resources: [core('orders', { ...TENANT, ...TOKEN }), gateway],
      plugins: [caller('orders', 'tenants', 1), caller('orders', 'keys', 2)],
    }),
    // drops a resource, adds one, and replaces a plugin
    manifest(bundleRef('orders'), '2.0.0', {
      resources: [core('orders', { ...TENANT, ...TOKEN }), timer],
      plugins: [caller('orders', 'tenants', 1), caller('orders', 'mailer', 3)],
    }),
  ],
  equals: [
    manifest(bundleRef('equals'), '1.0.0', {
      resources: [core('equals', TENANT), second('equals')],
      plugins: [
        caller('equals', 'tenants', 5),
        caller('equals', 'mailer', 5),
        caller('equals', 'reports', 9),
      ],
    }),
    manifest(bundleRef('equals'), '2.0.0', {
      resources: [core('equals', TENANT)],
      plugins: [caller('equals', 'tenants', 5), caller('equals', 'mailer', 5)],
    }),
  ],
  single: [
    manifest(bundleRef('single'), '1.0.0', {
      resources: [core('single')],
      plugins: [caller('single', 'reports', 1)],
    }),
    manifest(bundleRef('single'), '2.0.0', {
      resources: [core('single'), gateway],
      plugins: [caller('single', 'reports', 1)],
    }),
  ],
  plain: [
    manifest(bundleRef('plain'), '1.0.0', { resources: [core('plain'), timer] }),
    manifest(bundleRef('plain'), '2.0.0', { resources: [core('plain')] }),
  ],
} as const satisfies Record<string, readonly [AuthorManifest, AuthorManifest]>

export type BundleName = keyof typeof BUNDLES

export const MANIFESTS = Object.values(BUNDLES).flat()

/** Values of the Module `core`, different for each number. */
export function coreValues(bundleId: BundleName, number: number): Changes {
  return {
    [coreOf(bundleId)]: {
      name: wrapData(`name ${number}`),
      seats: wrapData(number),
      password: wrapSensitive(`${CANARY}-${number}`),
    },
  }
}
