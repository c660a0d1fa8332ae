import { sql } from 'kysely'
import type { BffDb } from './tables.ts'

export interface FoundRecord {
  payload: Record<string, unknown>
  /** Unix seconds, or null if unused. */
  consumedAt: number | null
}

/** A record that has not expired, by the hash of its id or, for a session, by its uid. */
export async function findRecord(
  db: BffDb,
  by: { idHash: Buffer } | { kind: string; uid: string },
): Promise<FoundRecord | null> {
  const match = 'idHash' in by ? sql`id_hash = ${by.idHash}` : sql`uid = ${by.uid} and kind = ${by.kind}`
  const { rows } = await sql<FoundRecord>`
    select payload, floor(extract(epoch from consumed_at))::float8 as "consumedAt"
    from bff.idp_record where ${match} and expires_at > clock_timestamp()`.execute(db)
  return rows[0] ?? null
}

interface IdpRecord {
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

/** Marks a record as used; false if it was already used or does not exist, so that a code works once. */
export async function consumeRecord(db: BffDb, idHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update bff.idp_record set consumed_at = clock_timestamp()
    where id_hash = ${idHash} and consumed_at is null returning 1`.execute(db)
  return rows.length === 1
}

/** Deletes one record, or all that belong to a grant. */
export async function deleteRecord(db: BffDb, by: { idHash: Buffer } | { grantId: string }): Promise<void> {
  const match = 'idHash' in by ? sql`id_hash = ${by.idHash}` : sql`grant_id = ${by.grantId}`
  await sql`delete from bff.idp_record where ${match}`.execute(db)
}
