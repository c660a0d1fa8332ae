import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Returns the one token that a successful attempt took. */
export async function returnToken(db: BffDb, bucket: number, capacity: number): Promise<void> {
  await sql`
    update bff.sign_in_limit set tokens = least(${capacity}::float8, tokens + 1) where bucket = ${bucket}`.execute(
    db,
  )
}
