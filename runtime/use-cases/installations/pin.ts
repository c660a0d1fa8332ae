import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'
import { installationView, pinOf } from '../../engine/views.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { emitEvents } from '../../store/events.ts'
import { findInstallation, setPin } from '../../store/installations/installations.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { lockAuthorized } from './lock-active.ts'

type PinPath = 'POST /installations/{bundleInstallId}/pin'
type UnpinPath = 'POST /installations/{bundleInstallId}/unpin'

/**
 * Pins an installation to versions, in place of an earlier pin; an upgrade that has begun continues. Refuses with NOT_FOUND, and with
 * INSTALLATION_NOT_ACTIVE if it is detached.
 */
export const pinInstallation = (
  context: WriteContext,
  { params, body: { versions, reason } }: Input<PinPath>,
): Promise<Answer<PinPath>> => change(context, params.bundleInstallId, reason, versions)

/** Removes the pin of an installation. Refuses with NOT_FOUND, and with REQUEST_INVALID if it is not pinned. */
export const unpinInstallation = (
  context: WriteContext,
  { params, body: { reason } }: Input<UnpinPath>,
): Promise<Answer<UnpinPath>> => change(context, params.bundleInstallId, reason, null)

async function change(
  context: WriteContext,
  bundleInstallId: string,
  reason: string,
  versions: string | null,
): Promise<Answer<PinPath>> {
  const { tx, actor } = context
  const { installation } = await lockAuthorized(context, bundleInstallId, 'installation:upgrade')
  const before = pinOf(installation)
  if (versions !== null && installation.state === 'DETACHED')
    throw new DomainError('INSTALLATION_NOT_ACTIVE', platformMessage('installationNotActive'))
  if (versions === null && before === null)
    throw new DomainError('REQUEST_INVALID', platformMessage('installationNotPinned'))
  await setPin(tx, bundleInstallId, versions === null ? null : { versions, by: actor, reason })
  await recordAudit(tx, actor, {
    action: versions === null ? 'installation.unpin' : 'installation.pin',
    subject: installation.title,
    scope: scopeOf(installation),
    bundleInstallId,
    reason,
    changes: fieldChanges({ versions: before?.versions ?? null }, { versions }),
  })
  await emitEvents(tx, [{ kind: 'installation', scopeId: installation.scope_id, objectId: bundleInstallId }])
  const changed = await findInstallation(tx, bundleInstallId)
  if (changed === undefined) throw notFound('installation')
  return { installation: installationView(changed) }
}
