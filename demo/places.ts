import type { Scope } from '#contract/protocol/scope.ts'

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
  staging: scope('staging', 'eu-central', 10),
  preview: scope('staging', 'eu-central', 11),
  lab: scope('development', 'lab', 0),
  training: scope('development', 'training', 7),
} as const

export type Place = keyof typeof scopes

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
  { place: 'staging', bundleId: 'crm-suite', version: '2.0.0' },
  { place: 'staging', bundleId: 'billing', version: '2.0.0' },
  { place: 'staging', bundleId: 'storefront', version: '2.0.0' },
  { place: 'staging', bundleId: 'support-desk', version: '1.0.0' },
  { place: 'staging', bundleId: 'data-lake-export', version: '2.0.0' },
  { place: 'preview', bundleId: 'crm-suite', version: '1.1.0' },
  { place: 'preview', bundleId: 'billing', version: '1.2.0' },
  { place: 'preview', bundleId: 'support-desk', version: '1.0.0' },
  { place: 'lab', bundleId: 'crm-suite', version: '2.0.0' },
  { place: 'lab', bundleId: 'storefront', version: '2.0.0' },
  { place: 'lab', bundleId: 'data-lake-export', version: '2.0.0' },
  { place: 'training', bundleId: 'crm-suite', version: '1.0.0', upgradeTo: '1.1.0' },
  { place: 'training', bundleId: 'billing', version: '1.0.0' },
  { place: 'training', bundleId: 'support-desk', version: '1.0.0' },
]
