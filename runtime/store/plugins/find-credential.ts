import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

export interface CredentialHolder {
  credential_id: string
  plugin_id: string
  enabled: boolean
  revoked_at: string | null
  /** Whether the last recorded use is a minute or more ago. */
  is_use_stale: boolean
}

/** Finds the holders of the credentials with these hashes, by hash in hexadecimal, even if they are revoked. */
export async function findCredentials(
  db: Db,
  secretHashes: readonly Buffer[],
): Promise<Map<string, CredentialHolder>> {
  const { rows } = await sql<CredentialHolder & { hash: string }>`
    select encode(credential.secret_hash, 'hex') as hash, credential.credential_id, credential.plugin_id,
      credential.revoked_at, plugin.enabled,
      coalesce(credential.last_used_at < clock_timestamp() - interval '1 minute', true) as is_use_stale
    from runtime.plugin_credential as credential
    join runtime.plugin as plugin on plugin.plugin_id = credential.plugin_id
    where credential.secret_hash = any(${[...secretHashes]}::bytea[])`.execute(db)
  return new Map(rows.map(({ hash, ...holder }) => [hash, holder]))
}
