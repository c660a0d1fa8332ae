import { sql } from 'kysely'
import type { BffDb } from '../tables.ts'

/** Records that generated passwords were shown; returns for how many users they are still valid. */
export async function markPasswordsShown(
  db: BffDb,
  shown: readonly { sub: string; passwordHash: string }[],
): Promise<number> {
  const { rows } = await sql`
    update bff.idp_user set is_password_shown = true
    from unnest(
      ${shown.map(({ sub }) => sub)}::text[],
      ${shown.map(({ passwordHash }) => passwordHash)}::text[]) as shown (sub, password_hash)
    where idp_user.sub::text = shown.sub and idp_user.password_hash = shown.password_hash
    returning 1`.execute(db)
  return rows.length
}
