import { rejectsWrites, throwUnless } from '#database/unreachable.ts'
import { DomainError } from '../../engine/refusals.ts'
import { noteCredentialUse, hashOf } from '../../store/plugins/credentials.ts'
import type { Db } from '../../model/db.ts'
import type { PluginReads } from '../../store/references.ts'

/**
 * The plugin that this credential belongs to, or null if the credential is unknown.
 *
 * Throws DomainError CREDENTIAL_REVOKED, or PLUGIN_NOT_REGISTERED if the plugin is disabled.
 */
export async function authenticatePlugin(
  { db, reads }: { db: Db; reads: PluginReads },
  secret: string,
): Promise<string | null> {
  const holder = await reads.holderOf(hashOf(secret))
  if (holder === undefined) return null
  if (holder.revoked_at !== null)
    throw new DomainError('CREDENTIAL_REVOKED', 'This plugin credential was revoked.')
  if (!holder.enabled) {
    throw new DomainError('PLUGIN_NOT_REGISTERED', `The plugin ${holder.plugin_id} is disabled.`, {
      retryable: true,
    })
  }
  // a commit for each resolution would cost more than the resolution
  if (holder.is_use_stale) await noteCredentialUse(db, holder.credential_id).catch(throwUnless(rejectsWrites))
  return holder.plugin_id
}
