import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

export interface IdpRecord {
  idHash: Buffer
  kind: string
  payload: Record<string, unknown>
  grantId: string | null
  uid: string | null
  expiresInSeconds: number
}

export async function upsertRecord(db: BffDb, record: IdpRecord): Promise<void> {
  const { idHash, kind, payload, grantId, uid, expiresInSeconds } = record
  await sql`
    insert into bff.idp_record (id_hash, kind, payload, grant_id, uid, expires_at)
    values (${idHash}, ${kind}, ${JSON.stringify(payload)}, ${grantId}, ${uid},
      clock_timestamp() + make_interval(secs => ${expiresInSeconds}))
    on conflict (id_hash) do update set
      payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
      expires_at = excluded.expires_at`.execute(db)
}
