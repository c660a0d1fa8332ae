import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Sets another generated password. False, without a change, if the user's password has been shown in the meantime. */
export async function replaceUnshownPassword(
  db: BffDb,
  { sub, passwordHash }: { sub: string; passwordHash: string },
): Promise<boolean> {
  const { rows } = await sql`
    update bff.idp_user set password_hash = ${passwordHash}
    where sub::text = ${sub} and not is_password_shown returning 1`.execute(db)
  return rows.length === 1
}
