import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/** Records that a credential was used now. */
export async function noteCredentialUse(db: Db, credentialId: string): Promise<void> {
  await db
    .updateTable('runtime.plugin_credential')
    .set({ last_used_at: sql<string>`clock_timestamp()` })
    .where('credential_id', '=', credentialId)
    .execute()
}
