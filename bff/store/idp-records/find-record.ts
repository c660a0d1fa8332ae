import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

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
