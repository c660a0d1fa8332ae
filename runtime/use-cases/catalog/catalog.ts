import { createHash } from 'node:crypto'
import type { Detail } from '#contract/protocol/envelope.ts'
import { checkManifest } from '#contract/protocol/manifest.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BundleVersion } from '#contract/runtime-api/catalog.ts'
import { DomainError } from '../../engine/refusals.ts'
import { identityOf } from '../../engine/views.ts'
import { findInstalledProperties } from '../../store/catalog/find-properties.ts'
import {
  findVersion,
  insertVersion,
  listBundleRows,
  listVersionRows,
  lockVersion,
  setStanding,
} from '../../store/catalog/versions.ts'
import type { VersionRow } from '../../store/catalog/versions.ts'
import { findManifest } from '../../store/installations/last-applied.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import type { Fields } from '../audit/record.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, WriteContext, ReadContext } from '../context.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging.ts'
import { canonicalText } from '../plans/plan-token.ts'

type Name = 'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}'

/**
 * Publishes a version. Publishing the same manifest again, in whatever order of its keys, changes nothing and returns the
 * first response.
 *
 * Refuses with MANIFEST_INVALID, listing every reason, and with VERSION_EXISTS if another manifest was published as
 * this version.
 */
export async function publishVersion(
  { tx, actor }: WriteContext,
  { params, body: { $schema: _forEditors, ...body } }: Input<Name>,
): Promise<Answer<Name>> {
  const text = canonicalText(body)
  const before = await findVersion(tx, params, params.version)
  // what was published by the rules of its time stays published
  if (before !== undefined && canonicalText(before.manifest) === text) return versionView(before)
  const details = [...checkPlace(params, body), ...checkManifest(body)]
  const [first] = details
  if (first !== undefined) throw new DomainError('MANIFEST_INVALID', first.message, { details })

  const isNew = await insertVersion(tx, body, actor)
  const published = await findVersion(tx, params, params.version)
  if (published === undefined) throw new Error('an inserted or existing version is missing')
  if (!isNew && canonicalText(published.manifest) !== text) {
    throw new DomainError('VERSION_EXISTS', platformMessage('versionExists', { version: params.version }))
  }
  if (isNew) {
    await recordAudit(tx, actor, {
      action: 'bundle.publish',
      subject: subjectOfBundle(params),
      changes: fieldChanges(null, whatIsPublished(body)),
    })
  }
  return versionView(published)
}

type Standing = 'deprecate' | 'recall'
type StandingPath<Action extends string> =
  `POST /bundles/{environmentKey}/{bundleId}/versions/{version}/${Action}`

/** Deprecates a version. Refuses with NOT_FOUND, and with REQUEST_INVALID if it is recalled. */
export const deprecateVersion = (
  context: WriteContext,
  { params, body: { message } }: Input<StandingPath<'deprecate'>>,
): Promise<Answer<StandingPath<'deprecate'>>> => changeStanding(context, params, 'deprecate', message)

/**
 * Recalls a version: from now on the gate refuses each INSTALL of it and UPGRADE to it; those that have begun continue. Refuses with
 * NOT_FOUND.
 */
export const recallVersion = (
  context: WriteContext,
  { params, body: { message } }: Input<StandingPath<'recall'>>,
): Promise<Answer<StandingPath<'recall'>>> => changeStanding(context, params, 'recall', message)

/** Ends that a version is deprecated or recalled. Refuses with NOT_FOUND, and with REQUEST_INVALID if it is neither. */
export const reinstateVersion = (
  context: WriteContext,
  { params, body: { reason } }: Input<StandingPath<'reinstate'>>,
): Promise<Answer<StandingPath<'reinstate'>>> => changeStanding(context, params, 'reinstate', reason)

const STANDING_OF = { deprecate: 'DEPRECATED', recall: 'RECALLED', reinstate: null } as const

async function changeStanding(
  { tx, actor }: WriteContext,
  params: Input<Name>['params'],
  action: Standing | 'reinstate',
  text: string,
): Promise<BundleVersion> {
  const { version } = params
  const before = await lockVersion(tx, params, version)
  if (before === undefined) throw notFound('bundle version')
  const kind = STANDING_OF[action]
  if (before.standing === kind && (kind === null || before.standing_message === text))
    throw new DomainError('REQUEST_INVALID', platformMessage('versionStandingAlready', { version }))
  if (before.standing === 'RECALLED' && kind === 'DEPRECATED')
    throw new DomainError('REQUEST_INVALID', platformMessage('versionIsRecalled', { version }))
  await setStanding(tx, params, version, kind === null ? null : { kind, message: text, by: actor })
  await recordAudit(tx, actor, {
    action: `bundle.${action}`,
    subject: subjectOfBundle(params),
    reason: text,
    changes: fieldChanges({ standing: before.standing }, { standing: kind }),
  })
  const published = await findVersion(tx, params, version)
  if (published === undefined) throw new Error('a locked version is missing')
  return versionView(published)
}

/** The manifest never changes and is stored in the catalog; its digest identifies it. */
function whatIsPublished(manifest: AuthorManifest): Fields {
  return {
    title: manifest.title,
    resources: manifest.resources.map(({ kind, name }) => `${kind}/${name}`),
    plugins: manifest.plugins.map(({ pluginId }) => pluginId),
    manifestSha256: createHash('sha256').update(JSON.stringify(manifest)).digest('hex'),
  }
}

/** A bundle version as text for the audit. */
export function subjectOfBundle(version: Input<Name>['params']): string {
  return `${version.environmentKey}/${version.bundleId} ${version.version}`
}

/** The manifest must match the path: otherwise it was sent to the wrong place. */
function checkPlace(params: Input<Name>['params'], manifest: AuthorManifest): Detail[] {
  const places = [
    { path: '/bundle/environmentKey', is: manifest.bundle.environmentKey, shall: params.environmentKey },
    { path: '/bundle/bundleId', is: manifest.bundle.bundleId, shall: params.bundleId },
    { path: '/version', is: manifest.version, shall: params.version },
  ]
  return places
    .filter(({ is, shall }) => is !== shall)
    .map(({ path, shall }) => ({
      path,
      errorCode: 'MANIFEST_INVALID',
      message: `Must be ${shall}, as in the address of the call`,
    }))
}

/** Bundles of the catalog with their newest version. */
export async function listBundles(
  { deps }: ReadContext,
  { query }: Input<'GET /bundles'>,
): Promise<Answer<'GET /bundles'>> {
  const rows = await listBundleRows(deps.db, {
    environmentKey: query.environmentKey,
    q: query.q,
    after: cursorValues(query.cursor, ['string', 'string']),
    limit: query.limit + 1,
  })
  return pageOf(rows, query.limit, {
    item: (row) => ({
      bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
      title: row.title,
      description: row.description,
      versions: row.versions,
      latest: { version: row.version, publishedAt: row.published_at },
    }),
    valuesOf: (row) => [row.bundle_environment_key, row.bundle_id],
  })
}

/** Published versions of a bundle, the highest first. Refuses with NOT_FOUND if there is none. */
export async function listVersions(
  { deps }: ReadContext,
  { params, query }: Input<'GET /bundles/{environmentKey}/{bundleId}/versions'>,
): Promise<Answer<'GET /bundles/{environmentKey}/{bundleId}/versions'>> {
  const [precedence, publishedAt, version] = cursorValues(query.cursor, ['string', 'number', 'string']) ?? []
  const after =
    version === undefined
      ? null
      : {
          precedence: String(precedence),
          publishedAt: cursorInteger(publishedAt),
          version: String(version),
        }
  const rows = await listVersionRows(deps.db, params, { after, limit: query.limit + 1 })
  if (rows.length === 0 && after === null) throw notFound('bundle')
  return pageOf(rows, query.limit, {
    item: (row) => versionView(row),
    valuesOf: (row) => [row.precedence, row.published_microseconds, row.version],
  })
}

/** The author manifest of a version, as it was published. Refuses with NOT_FOUND. */
export async function readManifest(
  { deps }: ReadContext,
  { params }: Input<'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'>,
): Promise<Answer<'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'>> {
  const manifest = await findManifest(deps.db, params, params.version)
  if (manifest === undefined) throw notFound('bundle version')
  return manifest
}

/** A published version as the runtime API returns it. */
function versionView(row: Omit<VersionRow, 'published_microseconds' | 'precedence'>): BundleVersion {
  return {
    bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
    version: row.version,
    title: row.title,
    publishedAt: row.published_at,
    publishedBy: { id: row.published_by_id, name: row.published_by_name },
    ...(row.standing !== null &&
      row.standing_at !== null && {
        standing: {
          kind: row.standing,
          message: row.standing_message ?? '',
          at: row.standing_at,
          by: { id: row.standing_by_id ?? '', name: row.standing_by_name ?? '' },
        },
      }),
  }
}

/** A list of matches would otherwise contain one property of many installations only. */
const PER_PROPERTY = 3

/** Properties of active installations, by title or name. */
export async function findProperties(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /installed-properties'>,
): Promise<Answer<'GET /installed-properties'>> {
  const rows = await findInstalledProperties(deps.db, actor, { ...query, perProperty: PER_PROPERTY })
  return {
    items: rows.map((row) => ({
      installation: identityOf(row),
      locator: row.locator,
      resourceTitle: row.resource,
      property: row.property,
      title: row.title,
      installations: row.installations,
    })),
  }
}
