import type { Tx } from '../../model/db.ts'

/** Stores a new credential as the hash of its secret. */
export async function insertCredential(
  tx: Tx,
  credential: { credentialId: string; pluginId: string; secretHash: Buffer },
): Promise<void> {
  await tx
    .insertInto('runtime.plugin_credential')
    .values({
      credential_id: credential.credentialId,
      plugin_id: credential.pluginId,
      secret_hash: credential.secretHash,
    })
    .execute()
}
