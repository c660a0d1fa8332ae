import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx, Db } from '../../model/db.ts'

/** Every secret starts with this prefix, so that secrets can be found inside text. */
const SECRET_PREFIX = 'bpc_'

/** Creates a secret of 256 bits, and the hash to store. */
export function makeSecret(): { secret: string; hash: Buffer } {
  const secret = `${SECRET_PREFIX}${randomBytes(32).toString('base64url')}`
  return { secret, hash: hashOf(secret) }
}

/** The hash that is stored for a secret. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

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

export interface CredentialHolder {
  credential_id: string
  plugin_id: string
  /** Whether the plugin may call this platform: it is enabled and not retired. */
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
      credential.revoked_at, plugin.enabled and plugin.retired_at is null as enabled,
      coalesce(credential.last_used_at < clock_timestamp() - interval '1 minute', true) as is_use_stale
    from runtime.plugin_credential as credential
    join runtime.plugin as plugin on plugin.plugin_id = credential.plugin_id
    where credential.secret_hash = any(${[...secretHashes]}::bytea[])`.execute(db)
  return new Map(rows.map(({ hash, ...holder }) => [hash, holder]))
}

/** Returns those of the hashes that belong to an issued credential, even if it is revoked. */
export async function findIssued(db: Db, secretHashes: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('runtime.plugin_credential')
    .select('secret_hash')
    .where('secret_hash', 'in', secretHashes)
    .execute()
  return rows.map(({ secret_hash: hash }) => hash)
}

/** Records that a credential was used now. */
export async function noteCredentialUse(db: Db, credentialId: string): Promise<void> {
  await db
    .updateTable('runtime.plugin_credential')
    .set({ last_used_at: sql<string>`clock_timestamp()` })
    .where('credential_id', '=', credentialId)
    .execute()
}

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
      for no key update
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

/** Counts the credentials of a plugin that are not revoked. */
export async function countValidCredentials(tx: Tx, pluginId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('runtime.plugin_credential')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('plugin_id', '=', pluginId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
