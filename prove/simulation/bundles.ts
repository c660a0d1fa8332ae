import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Writable } from './plugins.ts'

const text = { type: 'string', maxLength: 60 } as const

type Resource = AuthorManifest['resources'][number]
type Binding = AuthorManifest['plugins'][number]

const core = (bundleId: string, more: Resource['properties'] = {}): Resource => ({
  kind: 'MODULE',
  name: 'core',
  title: 'Core',
  moduleId: `${bundleId}-core`,
  properties: {
    name: { kind: 'DATA', schema: text, default: 'unnamed' },
    seats: { kind: 'DATA', schema: { type: 'integer' }, default: 5 },
    password: { kind: 'DATA', schema: text, isSensitive: true },
    instanceRefProperty: { kind: 'DATA', schema: { type: 'string' } },
    ...more,
  },
})

const module = (bundleId: string, name: string): Resource => ({
  kind: 'MODULE',
  name,
  title: name,
  moduleId: `${bundleId}-${name}`,
  properties: { name: { kind: 'DATA', schema: text, default: 'unnamed' } },
})

const gateway: Resource = {
  kind: 'GATEWAY',
  name: 'public',
  title: 'Public',
  properties: { domain: { kind: 'DATA', schema: text, default: 'example.test' } },
}

const timer: Resource = {
  kind: 'TIMER',
  name: 'nightly',
  title: 'Nightly',
  properties: { cron: { kind: 'DATA', schema: text, default: '0 3 * * *' } },
}

const binding = (bundleId: string, pluginId: string, order: number, writes: string[] = []): Binding => ({
  pluginId,
  order,
  failurePolicy: 'FAIL_FAST',
  configuration: { schemaVersion: '1', values: {} },
  resources: [
    {
      object: { type: 'MODULE', moduleId: `${bundleId}-core` },
      readProperties: ['name', 'seats', 'password', 'instanceRefProperty'],
      writeProperties: writes,
      credentialProperties: [],
    },
  ],
})

const manifest = (
  bundleId: string,
  version: string,
  resources: Resource[],
  plugins: Binding[],
): AuthorManifest => ({
  bundle: { environmentKey: 'dev', bundleId },
  version,
  title: bundleId,
  resources,
  plugins,
})

const tenantId = { tenantId: { kind: 'DATA', schema: text } } as const
const token = { token: { kind: 'DATA', schema: text, isSensitive: true } } as const

/** Each bundle with an old and a new version. `orders` has plugins one after the other, `equals` side by side. */
export const BUNDLES = {
  orders: [
    manifest(
      'orders',
      '1.0.0',
      [core('orders', { ...tenantId, ...token }), gateway],
      [binding('orders', 'tenants', 1, ['tenantId']), binding('orders', 'keys', 2, ['token'])],
    ),
    // drops a resource, brings one, and changes a plugin
    manifest(
      'orders',
      '2.0.0',
      [core('orders', { ...tenantId, ...token }), timer],
      [binding('orders', 'tenants', 1, ['tenantId']), binding('orders', 'mailer', 3)],
    ),
  ],
  equals: [
    manifest(
      'equals',
      '1.0.0',
      [core('equals', tenantId), module('equals', 'second')],
      [
        binding('equals', 'tenants', 5, ['tenantId']),
        binding('equals', 'mailer', 5),
        binding('equals', 'reports', 9),
      ],
    ),
    manifest(
      'equals',
      '2.0.0',
      [core('equals', tenantId)],
      [binding('equals', 'tenants', 5, ['tenantId']), binding('equals', 'mailer', 5)],
    ),
  ],
  single: [
    manifest('single', '1.0.0', [core('single')], [binding('single', 'reports', 1)]),
    manifest('single', '2.0.0', [core('single'), gateway], [binding('single', 'reports', 1)]),
  ],
  plain: [
    manifest('plain', '1.0.0', [core('plain'), timer], []),
    manifest('plain', '2.0.0', [core('plain')], []),
  ],
} as const satisfies Record<string, readonly [AuthorManifest, AuthorManifest]>

export type BundleName = keyof typeof BUNDLES

export const PLUGIN_IDS = ['tenants', 'keys', 'mailer', 'reports'] as const

export const WRITABLE: Writable = {
  tenants: [{ property: 'tenantId', isSensitive: false }],
  keys: [{ property: 'token', isSensitive: true }],
}
