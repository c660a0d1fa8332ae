import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Db } from '../model/db.ts'
import type { PublicKey } from '../model/vault.ts'

/**
 * Publishes the public key of this replica to the others. Deletes the keys of replicas that were not seen for an
 * hour, which is far longer than the lifetime of a token.
 */
export async function keepSigningKey(db: Db, key: PublicKey): Promise<void> {
  await sql`
    insert into runtime.signing_key (kid, public_jwk) values (${key.kid}, ${JSON.stringify(key)})
    on conflict (kid) do update set last_seen_at = clock_timestamp()`.execute(db)
  await sql`
    delete from runtime.signing_key where last_seen_at < clock_timestamp() - interval '1 hour'`.execute(db)
}

/** Returns the public keys of all replicas on this database. */
export async function listSigningKeys(db: Db): Promise<JsonValue[]> {
  const rows = await db.selectFrom('runtime.signing_key').select('public_jwk').orderBy('kid').execute()
  return rows.map((row) => row.public_jwk)
}
