import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { createHash } from 'node:crypto'
import type { Detail } from '#contract/protocol/envelope.ts'
import { checkManifest } from '#contract/protocol/manifest.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { fieldChanges } from '../audit/field-changes.ts'
import type { Fields } from '../audit/field-changes.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { canonicalText } from '../plans/values-digest.ts'
import { DomainError } from '../../engine/refusals.ts'
import { findVersion, insertVersion } from '../../store/catalog/versions.ts'
import { versionView } from './version-view.ts'

type Name = 'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}'

/**
 * Publishes a version. Publishing the same manifest again, in whatever order of its keys, changes nothing and returns the
 * first answer.
 *
 * Refuses with MANIFEST_INVALID, listing every reason, and with VERSION_EXISTS if another manifest was published as
 * this version.
 */
export async function publishVersion(
  { tx, actor }: WriteContext,
  { params, body }: Input<Name>,
): Promise<Answer<Name>> {
  const details = [...checkPlace(params, body), ...checkManifest(body)]
  const [first] = details
  if (first !== undefined) throw new DomainError('MANIFEST_INVALID', first.message, { details })

  const isNew = await insertVersion(tx, body, actor)
  const published = await findVersion(tx, params, params.version)
  if (published === undefined) throw new Error('an inserted or existing version is missing')
  if (!isNew && canonicalText(published.manifest) !== canonicalText(body)) {
    throw new DomainError('VERSION_EXISTS', platformMessage('versionExists', { version: params.version }))
  }
  if (isNew) {
    await recordAudit(tx, actor, {
      action: 'bundle.publish',
      subject: subjectOf(params),
      changes: fieldChanges(null, whatIsPublished(body)),
    })
  }
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
export function subjectOf(version: Input<Name>['params']): string {
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
