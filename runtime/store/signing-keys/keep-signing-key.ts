import { sql } from 'kysely'
import type { PublicKey } from '../../model/public-key.ts'
import type { Db } from '../../model/db.ts'

/**
 * Tells the other replicas this one's public key, and forgets the keys of replicas that were not seen for an hour: far
 * longer than any token lives.
 */
export async function keepSigningKey(db: Db, key: PublicKey): Promise<void> {
  await sql`
    insert into runtime.signing_key (kid, public_jwk) values (${key.kid}, ${JSON.stringify(key)})
    on conflict (kid) do update set last_seen_at = clock_timestamp()`.execute(db)
  await sql`
    delete from runtime.signing_key where last_seen_at < clock_timestamp() - interval '1 hour'`.execute(db)
}
