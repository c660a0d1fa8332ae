import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Key } from '#contract/protocol/keys.ts'
import { LARGE_BODY_BYTES_MAX } from '#contract/protocol/limits.ts'
import { AuthorManifest } from '#contract/protocol/manifest.ts'
import { BundleRef } from '#contract/protocol/scope.ts'
import { listOf, pageQuery, Person, Reason, searchText, Timestamp } from './common.ts'
import { STANDINGS } from './vocabulary.ts'

export const Bundle = z.object({
  bundle: BundleRef,
  title: z.string(),
  description: z.string().nullable(),
  versions: z.number().int().positive(),
  /** The highest release, or the highest version if there is no release. */
  latest: z.object({ version: Key, publishedAt: Timestamp }),
})
export type Bundle = z.infer<typeof Bundle>

export const BundleVersion = z.object({
  bundle: BundleRef,
  version: Key,
  title: z.string(),
  publishedAt: Timestamp,
  publishedBy: Person,
  /** Absent unless it is deprecated or recalled. */
  standing: z.object({ kind: z.enum(STANDINGS), message: z.string(), at: Timestamp, by: Person }).optional(),
})
export type BundleVersion = z.infer<typeof BundleVersion>

const bundleParams = z.strictObject({ environmentKey: Key, bundleId: Key })
const versionParams = bundleParams.extend({ version: Key })

/** The message is shown where the version is offered and where it runs. */
const standing = {
  access: { needs: 'catalog:write', where: 'environment' },
  params: versionParams,
  body: z.strictObject({ message: Reason }),
  answer: BundleVersion,
  codes: ['NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'],
} as const

export const catalogEndpoints = defineEndpoints({
  'GET /bundles': {
    summary: 'Bundles of the catalog',
    access: { needs: 'read', where: 'anywhere' },
    query: z.strictObject({ environmentKey: Key.optional(), q: searchText, ...pageQuery }),
    answer: listOf(Bundle),
    codes: [],
  },
  'GET /bundles/{environmentKey}/{bundleId}/versions': {
    summary: 'Published versions of a bundle, the highest first',
    access: { needs: 'read', where: 'anywhere' },
    params: bundleParams,
    query: z.strictObject(pageQuery),
    answer: listOf(BundleVersion),
    codes: ['NOT_FOUND'],
  },
  'GET /bundles/{environmentKey}/{bundleId}/versions/{version}': {
    summary: 'The author manifest of a version',
    access: { needs: 'read', where: 'anywhere' },
    params: versionParams,
    answer: AuthorManifest,
    codes: ['NOT_FOUND'],
    keepsProtectedProperty: true,
  },
  'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}': {
    cost: 5,
    summary: 'Publish a version; published versions never change',
    audit: 'bundle.publish',
    access: { needs: 'catalog:write', where: 'environment' },
    params: versionParams,
    body: AuthorManifest,
    answer: BundleVersion,
    codes: ['MANIFEST_INVALID', 'VERSION_EXISTS', 'IDEMPOTENCY_KEY_REUSED'],
    bodyErrorCode: 'MANIFEST_INVALID',
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/deprecate': {
    ...standing,
    summary: 'Deprecate a version: it can still be installed, and a message says what to use instead',
    audit: 'bundle.deprecate',
  },
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/recall': {
    ...standing,
    summary: 'Recall a version: it is never offered, planned or installed again',
    audit: 'bundle.recall',
  },
  'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/reinstate': {
    ...standing,
    summary: 'Reinstate a version that is deprecated or recalled',
    audit: 'bundle.reinstate',
    body: z.strictObject({ reason: Reason }),
  },
})
