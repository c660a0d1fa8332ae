import { uuidv7 } from '#http-kit/ids.ts'
import { fieldChanges } from '../audit/field-changes.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { DomainError } from '../../engine/refusals.ts'
import {
  countValidCredentials,
  insertCredential,
  revokeCredentialRow,
  makeSecret,
} from '../../store/plugins/credentials.ts'
import { lockPlugin } from '../../store/plugins/plugins.ts'
import { requirePlugin } from './plugins.ts'
import { notFound } from '../authorize.ts'

type Create = 'POST /plugins/{pluginId}/credentials'
type Revoke = 'DELETE /plugins/{pluginId}/credentials/{credentialId}'

/** The old credential stays valid until its holder has the new one. */
const MAX_VALID = 2

/**
 * Creates a credential. Its secret is returned here and never again. Refuses with REQUEST_INVALID if two are valid
 * already, and with NOT_FOUND.
 */
export async function createCredential(
  { deps, tx, actor }: WriteContext,
  { params: { pluginId }, body }: Input<Create>,
): Promise<Answer<Create>> {
  if ((await lockPlugin(tx, pluginId)) === undefined) throw notFound('plugin')
  if ((await countValidCredentials(tx, pluginId)) >= MAX_VALID) {
    const message =
      'The plugin has two valid credentials already. Revoke one of them before you make another.'
    throw new DomainError('REQUEST_INVALID', message)
  }
  const credentialId = uuidv7(deps)
  const { secret, hash } = makeSecret()
  await insertCredential(tx, { credentialId, pluginId, secretHash: hash })
  await recordAudit(tx, actor, {
    action: 'plugin.credential.create',
    subject: `${pluginId} ${credentialId}`,
    reason: body.reason ?? null,
    changes: fieldChanges(null, { isValid: true }),
  })
  return { credentialId, secret }
}

/** Revokes a credential immediately; revoking it again changes nothing. Refuses with NOT_FOUND. */
export async function revokeCredential(
  { tx, actor }: WriteContext,
  { params }: Input<Revoke>,
): Promise<Answer<Revoke>> {
  const found = await revokeCredentialRow(tx, params)
  if (found === 'missing') throw notFound('credential')
  if (found === 'revoked') {
    const subject = `${params.pluginId} ${params.credentialId}`
    const changes = fieldChanges({ isValid: true }, { isValid: false })
    await recordAudit(tx, actor, { action: 'plugin.credential.revoke', subject, changes })
  }
  return requirePlugin(tx, params.pluginId)
}
