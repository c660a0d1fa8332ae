import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { LARGE_BODY_BYTES_MAX } from '#contract/protocol/limits.ts'
import { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { BundleRef, InstallationIdentity, Scope } from '#contract/protocol/scope.ts'
import { PositiveInteger } from '#contract/protocol/keys.ts'
import {
  Changes,
  installationParams,
  Key,
  listOf,
  Override,
  NextStep,
  oneOrMore,
  pageLimit,
  pageQuery,
  Person,
  PropertyName,
  PropertyView,
  Reason,
  ResourceLocator,
  scopeFilter,
  searchText,
  Timestamp,
  Uuid,
} from './common.ts'
import { Claim } from './claim.ts'
import { Operation } from './operations.ts'
import { OperationPlan, PlanToken } from './plans.ts'
import {
  CLAIM_STATES,
  INSTALLATION_SORTS,
  INSTALLATION_STATES,
  SAFEGUARDS,
  STANDINGS,
  UPGRADES,
} from './vocabulary.ts'

/** A property of an ACTIVE installation, with the titles of the newest version of its bundle. */
export const InstalledProperty = z.object({
  installation: InstallationIdentity,
  locator: ResourceLocator,
  resourceTitle: z.string(),
  property: PropertyName,
  /** Its name if it has no title. */
  title: z.string(),
  /** How many installations have the property and match the search; 100 stands for more. */
  installations: z.number().int().positive(),
})
export type InstalledProperty = z.infer<typeof InstalledProperty>

/** That an installation cannot be detached or taken over until somebody lifts it: since when, by whom and why. */
export const Protection = z.object({ at: Timestamp, by: Person, reason: z.string() })
export type Protection = z.infer<typeof Protection>

/** To which versions an installation can be upgraded: one, or those that begin alike, as `1.4.x`. */
export const Pin = z.object({ versions: Key, at: Timestamp, by: Person, reason: z.string() })
export type Pin = z.infer<typeof Pin>

export const Installation = z.object({
  installation: InstallationIdentity,
  title: z.string().nullable(),
  state: z.enum(INSTALLATION_STATES),
  version: Key.nullable(),
  /** What is said of this version; absent unless it is deprecated or recalled. */
  standing: z.object({ kind: z.enum(STANDINGS), message: z.string() }).optional(),
  /** The newest published version of the bundle that its pin allows, if it is newer than that of an ACTIVE installation. */
  upgradeTo: Key.nullable(),
  claim: Claim.nullable(),
  /** Absent unless it is protected from being detached. */
  protection: Protection.optional(),
  /** Absent unless it is pinned. */
  pin: Pin.optional(),
  nextStep: NextStep,
  updatedAt: Timestamp,
})
export type Installation = z.infer<typeof Installation>

const Definitions = z.record(PropertyName, PropertyDefinition)

export const InstalledResource = z.object({
  locator: ResourceLocator,
  title: z.string(),
  version: Key,
  verifiedAt: Timestamp,
  properties: z.record(PropertyName, PropertyView),
  definitions: Definitions,
})
export type InstalledResource = z.infer<typeof InstalledResource>

export const InstallationDetail = Installation.extend({
  resources: z.array(InstalledResource),
  plugins: z.array(
    z.object({
      pluginId: Key,
      order: z.number().int(),
      failurePolicy: z.literal('FAIL_FAST'),
      authorizations: CompiledAuthorization.shape.resources,
    }),
  ),
  snapshotVersion: PositiveInteger,
  /** Who requested the DETACH that ended it, when it ended, and why; null unless it is DETACHED. */
  detached: z
    .object({
      at: Timestamp,
      by: Person,
      reason: z.string().nullable(),
      /** Null if the operation is no longer stored. */
      operationId: Uuid.nullable(),
    })
    .nullable(),
  /** The installation of the same bundle in the same scope that was detached last before this one was created. */
  predecessor: z.object({ bundleInstallId: Uuid }).nullable(),
  /** The newest installation of the same bundle in the same scope that was created after this one. */
  successor: z.object({ bundleInstallId: Uuid, state: z.enum(INSTALLATION_STATES) }).nullable(),
})
export type InstallationDetail = z.infer<typeof InstallationDetail>

const count = z.number().int().nonnegative()

/** The ACTIVE installations of a bundle that the caller may see, by version. */
export const InstalledVersions = z.object({
  bundle: BundleRef,
  title: z.string(),
  /** The highest published release, or the highest version if there is no release. */
  newest: z.object({ version: Key, publishedAt: Timestamp }),
  installations: count,
  /** How many have an older version than the newest. */
  outdated: count,
  /** The installed versions, the highest first. */
  versions: z.array(
    z.object({
      version: Key,
      publishedAt: Timestamp,
      installations: count,
      isOutdated: z.boolean(),
      /** How many versions, up to the newest, are newer: releases only if there is one; 100 stands for more. */
      behind: count,
    }),
  ),
})
export type InstalledVersions = z.infer<typeof InstalledVersions>

/** The ACTIVE installations of one scope, of the bundles of a page. */
export const ScopeVersions = Scope.extend({
  installations: z.array(
    z.object({
      bundleInstallId: Uuid,
      bundle: BundleRef,
      version: Key,
      /** The state of the operation that has claimed it. */
      claim: z.enum(CLAIM_STATES).nullable(),
    }),
  ),
})
export type ScopeVersions = z.infer<typeof ScopeVersions>

const started = z.object({ operation: Operation })

const plannedInstall = {
  scope: Scope,
  bundle: BundleRef,
  targetVersion: Key,
  properties: Changes.optional(),
  copyFrom: z.strictObject({ bundleInstallId: Uuid }).optional(),
}
const plannedUpgrade = {
  targetVersion: Key,
  properties: Changes.optional(),
  snapshotVersion: PositiveInteger.optional(),
}
const withPlan = { reason: Reason.optional(), planToken: PlanToken.optional(), override: Override }

const snapshotWithProperties = [
  (body: { properties?: unknown; snapshotVersion?: unknown }) =>
    body.properties === undefined || body.snapshotVersion !== undefined,
  {
    message: 'Is required with properties: the snapshot that they were edited from',
    path: ['snapshotVersion'],
  },
] satisfies [unknown, unknown]

const installedVersionsQuery = {
  ...scopeFilter,
  bundleEnvironmentKey: Key.optional(),
  bundleId: Key.optional(),
  upgrade: z.literal('available').optional(),
  q: searchText,
  ...pageQuery,
}

export const installationEndpoints = defineEndpoints({
  'GET /installations': {
    summary: 'Installations of all scopes that the caller may see',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({
      ...scopeFilter,
      bundleEnvironmentKey: Key.optional(),
      bundleId: Key.optional(),
      version: Key.optional(),
      upgrade: oneOrMore(UPGRADES).optional(),
      state: oneOrMore(INSTALLATION_STATES).optional(),
      claim: oneOrMore(['none', 'any', ...CLAIM_STATES]).optional(),
      safeguard: oneOrMore(SAFEGUARDS).optional(),
      q: searchText,
      sort: z.enum(INSTALLATION_SORTS).default('-updatedAt'),
      ...pageQuery,
    }),
    answer: listOf(Installation),
    codes: [],
  },
  'GET /installed-versions': {
    summary: 'Bundles with the number of ACTIVE installations of each version',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject(installedVersionsQuery),
    answer: listOf(InstalledVersions),
    codes: [],
  },
  'GET /installed-versions/scopes': {
    summary: 'The version of each bundle in each scope: scopes that have one, for a page of bundles',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({
      ...installedVersionsQuery,
      bundleLimit: pageLimit(50, 12),
      bundleCursor: pageQuery.cursor,
    }),
    answer: listOf(ScopeVersions).extend({ bundles: listOf(InstalledVersions) }),
    codes: [],
  },
  'GET /installed-properties': {
    cost: 2,
    summary: 'Properties of ACTIVE installations, by title, name, resource, bundle and scope',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({ q: searchText.unwrap(), limit: pageQuery.limit }),
    answer: z.object({ items: z.array(InstalledProperty) }),
    codes: [],
  },
  'POST /installations': {
    summary: 'Install a version of a bundle into a scope',
    audit: 'installation.install',
    access: { needs: 'installation:install', where: 'body' },
    body: z.strictObject({ ...plannedInstall, ...withPlan }),
    answer: z.object({ installation: Installation, operation: Operation }),
    codes: [
      'NOT_FOUND',
      'PLAN_STALE',
      'INSTALLATION_EXISTS',
      'NUMBERS_USED_UP',
      'PROPERTY_PROTECTED',
      'PROPERTY_INVALID',
      'RESOURCE_OWNERSHIP_MISSING',
      'REFERENCE_TARGET_UNAVAILABLE',
      'MANIFEST_INVALID',
      'PLUGIN_NOT_CHECKED',
      'PLUGIN_RETIRED',
      'VERSION_RECALLED',
      'CHANGES_FROZEN',
      'APPROVAL_REQUIRED',
      'IDEMPOTENCY_KEY_REUSED',
      'RECENT_SIGN_IN_REQUIRED',
    ],
    recentSignIn: 'overrides',
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'POST /installations/plan': {
    cost: 3,
    summary: 'Preview an install; writes nothing',
    access: { needs: 'installation:install', where: 'body' },
    body: z.strictObject(plannedInstall),
    answer: OperationPlan,
    // the version cannot be installed at all; every other reason to refuse it is in the plan
    codes: ['NOT_FOUND', 'PROPERTY_PROTECTED', 'MANIFEST_INVALID', 'RESOURCE_OWNERSHIP_MISSING'],
    writesNothing: true,
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'GET /installations/{bundleInstallId}': {
    summary: 'One installation with its ledger of resources and its plugins',
    access: { needs: 'read', where: 'object' },
    params: installationParams,
    answer: InstallationDetail,
    codes: ['NOT_FOUND'],
  },
  'POST /installations/{bundleInstallId}/upgrade': {
    summary: 'Upgrade an ACTIVE installation to another version of its bundle',
    audit: 'installation.upgrade',
    access: { needs: 'installation:upgrade', where: 'object' },
    params: installationParams,
    body: z.strictObject({ ...plannedUpgrade, ...withPlan }).refine(...snapshotWithProperties),
    answer: started,
    codes: [
      'NOT_FOUND',
      'INSTALLATION_NOT_ACTIVE',
      'OPERATION_IN_PROGRESS',
      'OPERATION_CLAIM_HELD',
      'NUMBERS_USED_UP',
      'CONFIGURATION_SNAPSHOT_STALE',
      'PLAN_STALE',
      'PROPERTY_PROTECTED',
      'PROPERTY_INVALID',
      'RESOURCE_OWNERSHIP_MISSING',
      'REFERENCE_TARGET_UNAVAILABLE',
      'MANIFEST_INVALID',
      'PLUGIN_NOT_CHECKED',
      'PLUGIN_RETIRED',
      'VERSION_PINNED',
      'VERSION_RECALLED',
      'CHANGES_FROZEN',
      'APPROVAL_REQUIRED',
      'IDEMPOTENCY_KEY_REUSED',
      'RECENT_SIGN_IN_REQUIRED',
      'TOO_MANY_COMPARISONS',
    ],
    recentSignIn: 'overrides',
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'POST /installations/{bundleInstallId}/upgrade/plan': {
    cost: 3,
    summary: 'Preview an upgrade; writes nothing',
    access: { needs: 'installation:upgrade', where: 'object' },
    params: installationParams,
    body: z.strictObject(plannedUpgrade).refine(...snapshotWithProperties),
    answer: OperationPlan,
    codes: ['NOT_FOUND', 'TOO_MANY_COMPARISONS'],
    writesNothing: true,
    maxBodyBytes: LARGE_BODY_BYTES_MAX,
  },
  'POST /installations/{bundleInstallId}/detach': {
    summary: 'Detach an installation that no operation claims',
    audit: 'installation.detach',
    access: { needs: 'installation:detach', where: 'object' },
    params: installationParams,
    body: z.strictObject({ reason: Reason, planToken: PlanToken.optional(), override: Override }),
    answer: started,
    codes: [
      'NOT_FOUND',
      'PLAN_STALE',
      'INSTALLATION_NOT_ACTIVE',
      'OPERATION_IN_PROGRESS',
      'OPERATION_CLAIM_HELD',
      'NUMBERS_USED_UP',
      'INSTALLATION_PROTECTED',
      'CHANGES_FROZEN',
      'APPROVAL_REQUIRED',
      'IDEMPOTENCY_KEY_REUSED',
      'RECENT_SIGN_IN_REQUIRED',
    ],
    recentSignIn: 'overrides',
  },
  'POST /installations/{bundleInstallId}/detach/plan': {
    cost: 3,
    summary: 'Preview a detach; writes nothing',
    access: { needs: 'installation:detach', where: 'object' },
    params: installationParams,
    answer: OperationPlan,
    codes: ['NOT_FOUND'],
    writesNothing: true,
  },
})
