import type { Db } from '../../model/db.ts'

/** Returns those of the hashes that belong to an issued credential, even if it is revoked. */
export async function findIssued(db: Db, secretHashes: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('runtime.plugin_credential')
    .select('secret_hash')
    .where('secret_hash', 'in', secretHashes)
    .execute()
  return rows.map(({ secret_hash: hash }) => hash)
}
