import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { demoBundles } from '#plugin/examples/bundles/demo-bundles.ts'

const scope = (environmentKey: string, applicationRuntimeId: string, workspaceId: number): Scope => ({
  environmentKey,
  applicationRuntimeId,
  workspaceId,
})

export const scopes = {
  europe: scope('production', 'eu-central', 1),
  nordics: scope('production', 'eu-north', 4),
  america: scope('production', 'us-east', 2),
  asia: scope('production', 'ap-southeast', 3),
  iberia: scope('production', 'eu-south', 5),
  brazil: scope('production', 'sa-east', 6),
  staging: scope('staging', 'eu-central', 10),
  preview: scope('staging', 'eu-central', 11),
  rehearsal: scope('staging', 'us-east', 12),
  lab: scope('development', 'lab', 0),
  training: scope('development', 'training', 7),
  sandbox: scope('development', 'training', 8),
} as const

export type Place = keyof typeof scopes

/** Later versions with the same manifest, so that installations are several versions behind. */
export const patches: readonly AuthorManifest[] = [
  patchOf('crm-suite', '1.1.0', '1.1.3'),
  patchOf('billing', '1.2.0', '1.2.4'),
  patchOf('storefront', '1.5.0', '1.5.1'),
]

function patchOf(bundleId: string, of: string, version: string): AuthorManifest {
  const manifest = demoBundles.find((one) => one.bundle.bundleId === bundleId && one.version === of)
  if (manifest === undefined) throw new Error(`The demo has no ${bundleId} ${of}`)
  return { ...manifest, version }
}

/** Which version of which bundle is installed first, and to which version it is upgraded afterwards. */
export const installs: readonly { place: Place; bundleId: string; version: string; upgradeTo?: string }[] = [
  { place: 'europe', bundleId: 'crm-suite', version: '1.1.0', upgradeTo: '2.0.0' },
  { place: 'europe', bundleId: 'billing', version: '2.0.0' },
  { place: 'europe', bundleId: 'storefront', version: '1.0.0' },
  { place: 'europe', bundleId: 'support-desk', version: '1.0.0', upgradeTo: '2.0.0' },
  { place: 'europe', bundleId: 'data-lake-export', version: '1.1.0' },
  { place: 'nordics', bundleId: 'crm-suite', version: '1.1.0' },
  { place: 'nordics', bundleId: 'billing', version: '1.2.0' },
  { place: 'nordics', bundleId: 'support-desk', version: '1.0.0' },
  { place: 'nordics', bundleId: 'data-lake-export', version: '1.0.0' },
  { place: 'america', bundleId: 'crm-suite', version: '2.0.0' },
  { place: 'america', bundleId: 'billing', version: '1.2.0', upgradeTo: '2.0.0' },
  { place: 'america', bundleId: 'storefront', version: '1.5.0' },
  { place: 'america', bundleId: 'data-lake-export', version: '2.0.0' },
  { place: 'asia', bundleId: 'crm-suite', version: '1.0.0' },
  { place: 'asia', bundleId: 'billing', version: '1.0.0', upgradeTo: '1.2.0' },
  { place: 'asia', bundleId: 'storefront', version: '1.0.0' },
  { place: 'iberia', bundleId: 'crm-suite', version: '1.1.3' },
  { place: 'iberia', bundleId: 'billing', version: '1.2.4' },
  { place: 'iberia', bundleId: 'storefront', version: '1.5.1' },
  { place: 'iberia', bundleId: 'support-desk', version: '2.0.0' },
  { place: 'brazil', bundleId: 'crm-suite', version: '1.0.0' },
  { place: 'brazil', bundleId: 'billing', version: '1.2.0' },
  { place: 'brazil', bundleId: 'support-desk', version: '1.0.0' },
  { place: 'brazil', bundleId: 'data-lake-export', version: '1.1.0' },
  { place: 'staging', bundleId: 'crm-suite', version: '2.0.0' },
  { place: 'staging', bundleId: 'billing', version: '2.0.0' },
  { place: 'staging', bundleId: 'storefront', version: '2.0.0' },
  { place: 'staging', bundleId: 'support-desk', version: '1.0.0' },
  { place: 'staging', bundleId: 'data-lake-export', version: '2.0.0' },
  { place: 'preview', bundleId: 'crm-suite', version: '1.1.0' },
  { place: 'preview', bundleId: 'billing', version: '1.2.0' },
  { place: 'preview', bundleId: 'support-desk', version: '1.0.0' },
  { place: 'rehearsal', bundleId: 'crm-suite', version: '1.1.3' },
  { place: 'rehearsal', bundleId: 'storefront', version: '1.5.1' },
  { place: 'rehearsal', bundleId: 'data-lake-export', version: '1.1.0' },
  { place: 'lab', bundleId: 'crm-suite', version: '2.0.0' },
  { place: 'lab', bundleId: 'storefront', version: '2.0.0' },
  { place: 'lab', bundleId: 'data-lake-export', version: '2.0.0' },
  { place: 'training', bundleId: 'crm-suite', version: '1.0.0', upgradeTo: '1.1.0' },
  { place: 'training', bundleId: 'billing', version: '1.0.0' },
  { place: 'training', bundleId: 'support-desk', version: '1.0.0' },
  { place: 'sandbox', bundleId: 'crm-suite', version: '1.0.0' },
  { place: 'sandbox', bundleId: 'billing', version: '1.2.4' },
]
