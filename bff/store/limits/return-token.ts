import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Gives back the one token that an attempt took which turned out well; all that others took stays taken. */
export async function returnToken(db: BffDb, bucket: number, capacity: number): Promise<void> {
  await sql`
    update bff.sign_in_limit set tokens = least(${capacity}::float8, tokens + 1) where bucket = ${bucket}`.execute(
    db,
  )
}
