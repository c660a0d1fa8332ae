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

/** Finds the holder of the credential with this hash, even if it is revoked. */
export function findCredential(db: Db, secretHash: Buffer): Promise<CredentialHolder | undefined> {
  return db
    .selectFrom('runtime.plugin_credential as credential')
    .innerJoin('runtime.plugin as plugin', 'plugin.plugin_id', 'credential.plugin_id')
    .select([
      'credential.credential_id',
      'credential.plugin_id',
      'credential.revoked_at',
      'plugin.enabled',
      sql<boolean>`coalesce(credential.last_used_at < clock_timestamp() - interval '1 minute', true)`.as(
        'is_use_stale',
      ),
    ])
    .where('credential.secret_hash', '=', secretHash)
    .executeTakeFirst()
}
