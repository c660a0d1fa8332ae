import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'
import { installationView, pinOf, protectionOf } from '../../engine/views.ts'
import type { InstallationRow } from '../../model/installation.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { emitEvents } from '../../store/events.ts'
import { findInstallation, setPin, setProtection } from '../../store/installations/installations.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import type { AuditRecord } from '../audit/record.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { refuseIfClaimed } from '../operations/freeze.ts'
import { lockAuthorized } from './lock-active.ts'

type Protect = 'POST /installations/{bundleInstallId}/protect'
type Unprotect = 'POST /installations/{bundleInstallId}/unprotect'

/**
 * Protects an installation from being detached and taken over. Refuses with NOT_FOUND, with INSTALLATION_NOT_ACTIVE if it is
 * detached, if a DETACH has claimed it, and with REQUEST_INVALID if it is protected already.
 */
export const protectInstallation = (context: WriteContext, input: Input<Protect>): Promise<Answer<Protect>> =>
  changeProtection(context, input, true)

/** Lifts the protection of an installation. Refuses with NOT_FOUND, and with REQUEST_INVALID if it is not protected. */
export const unprotectInstallation = (
  context: WriteContext,
  input: Input<Unprotect>,
): Promise<Answer<Unprotect>> => changeProtection(context, input, false)

async function changeProtection(
  context: WriteContext,
  { params: { bundleInstallId }, body: { reason } }: Pick<Input<Protect>, 'params' | 'body'>,
  isProtecting: boolean,
): Promise<Answer<Protect>> {
  const { tx, actor } = context
  const { installation } = await lockAuthorized(context, bundleInstallId, 'installation:detach')
  if (isProtecting && installation.state === 'DETACHED')
    throw new DomainError('INSTALLATION_NOT_ACTIVE', platformMessage('installationNotActive'))
  // it would end in spite of the protection
  if (isProtecting && installation.claim_operation_type === 'DETACH')
    await refuseIfClaimed(tx, [bundleInstallId])
  if ((protectionOf(installation) !== null) === isProtecting)
    throw new DomainError(
      'REQUEST_INVALID',
      platformMessage(isProtecting ? 'installationAlreadyProtected' : 'installationNotProtected'),
    )
  await setProtection(tx, bundleInstallId, isProtecting ? { by: actor, reason } : null)
  return conclude(context, installation, {
    action: isProtecting ? 'installation.protect' : 'installation.unprotect',
    reason,
  })
}

type Pin = 'POST /installations/{bundleInstallId}/pin'
type Unpin = 'POST /installations/{bundleInstallId}/unpin'

/**
 * Pins an installation to versions, in place of an earlier pin; an upgrade that has begun continues. Refuses with NOT_FOUND, and with
 * INSTALLATION_NOT_ACTIVE if it is detached.
 */
export const pinInstallation = (
  context: WriteContext,
  { params, body: { versions, reason } }: Input<Pin>,
): Promise<Answer<Pin>> => changePin(context, params.bundleInstallId, reason, versions)

/** Removes the pin of an installation. Refuses with NOT_FOUND, and with REQUEST_INVALID if it is not pinned. */
export const unpinInstallation = (
  context: WriteContext,
  { params, body: { reason } }: Input<Unpin>,
): Promise<Answer<Unpin>> => changePin(context, params.bundleInstallId, reason, null)

async function changePin(
  context: WriteContext,
  bundleInstallId: string,
  reason: string,
  versions: string | null,
): Promise<Answer<Pin>> {
  const { tx, actor } = context
  const { installation } = await lockAuthorized(context, bundleInstallId, 'installation:upgrade')
  const before = pinOf(installation)
  if (versions !== null && installation.state === 'DETACHED')
    throw new DomainError('INSTALLATION_NOT_ACTIVE', platformMessage('installationNotActive'))
  if (versions === null && before === null)
    throw new DomainError('REQUEST_INVALID', platformMessage('installationNotPinned'))
  await setPin(tx, bundleInstallId, versions === null ? null : { versions, by: actor, reason })
  return conclude(context, installation, {
    action: versions === null ? 'installation.unpin' : 'installation.pin',
    reason,
    changes: fieldChanges({ versions: before?.versions ?? null }, { versions }),
  })
}

/** Records a change of what holds an installation back, and returns the installation. */
async function conclude(
  { tx, actor }: WriteContext,
  installation: InstallationRow,
  audit: Pick<AuditRecord, 'action' | 'reason' | 'changes'>,
): Promise<Answer<Protect>> {
  const { bundle_install_id: bundleInstallId } = installation
  await recordAudit(tx, actor, {
    ...audit,
    subject: installation.title,
    scope: scopeOf(installation),
    bundleInstallId,
  })
  await emitEvents(tx, [{ kind: 'installation', scopeId: installation.scope_id, objectId: bundleInstallId }])
  const changed = await findInstallation(tx, bundleInstallId)
  if (changed === undefined) throw notFound('installation')
  return { installation: installationView(changed) }
}
