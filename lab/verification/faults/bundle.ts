import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { manifest, module, plugin, TEXT } from '../manifests.ts'

/** A sensitive value that the plugin of each cell may read. */
export const SECRET = 'a-password-of-the-cells'

export const coreOf = (name: string): string => `dev/${name}/MODULE/core`

/** A bundle with one Module and one plugin, both named after their cell; the plugin writes `tenantId`. */
export function bundleOf(name: string, version: string): AuthorManifest {
  const core = module(name, 'core', {
    name: { ...TEXT, required: true },
    password: { ...TEXT, isSensitive: true },
    // accepts anything, so a response is rejected only for its own faults
    tenantId: { kind: 'DATA', schema: true },
    instanceRefProperty: TEXT,
  })
  const access = { reads: ['name', 'password'], writes: ['tenantId'] }
  return manifest({ environmentKey: 'dev', bundleId: name }, version, {
    resources: [core],
    plugins: [plugin(name, name, 10, access)],
  })
}
