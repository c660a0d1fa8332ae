import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'
import { installationView, protectionOf } from '../../engine/views.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { emitEvents } from '../../store/events.ts'
import { findInstallation, setProtection } from '../../store/installations/installations.ts'
import { recordAudit } from '../audit/record.ts'
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
  change(context, input, true)

/** Lifts the protection of an installation. Refuses with NOT_FOUND, and with REQUEST_INVALID if it is not protected. */
export const unprotectInstallation = (
  context: WriteContext,
  input: Input<Unprotect>,
): Promise<Answer<Unprotect>> => change(context, input, false)

async function change(
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
  await recordAudit(tx, actor, {
    action: isProtecting ? 'installation.protect' : 'installation.unprotect',
    subject: installation.title,
    scope: scopeOf(installation),
    bundleInstallId,
    reason,
  })
  await emitEvents(tx, [{ kind: 'installation', scopeId: installation.scope_id, objectId: bundleInstallId }])
  const changed = await findInstallation(tx, bundleInstallId)
  if (changed === undefined) throw notFound('installation')
  return { installation: installationView(changed) }
}
