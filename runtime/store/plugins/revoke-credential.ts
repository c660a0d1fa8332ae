import { sql } from 'kysely'
import type { Tx } from '../../model/db.ts'

/**
 * Revokes a credential of a plugin. Returns its state before; a revoked credential keeps its first revocation time.
 */
export async function revokeCredentialRow(
  tx: Tx,
  { pluginId, credentialId }: { pluginId: string; credentialId: string },
): Promise<'revoked' | 'was-revoked' | 'missing'> {
  const result = await sql<{ was_revoked: boolean }>`
    with before as (
      select credential_id, revoked_at is not null as was_revoked
      from runtime.plugin_credential
      where credential_id = ${credentialId} and plugin_id = ${pluginId}
      for update
    )
    update runtime.plugin_credential as credential
    set revoked_at = coalesce(credential.revoked_at, clock_timestamp())
    from before
    where credential.credential_id = before.credential_id
    returning before.was_revoked`.execute(tx)
  const [row] = result.rows
  if (row === undefined) return 'missing'
  return row.was_revoked ? 'was-revoked' : 'revoked'
}
