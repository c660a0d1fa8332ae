import { sql, type Kysely } from 'kysely'

/** Why the database accepts no writes: it is a standby, or set to read-only. Null if it accepts writes. */
export type ReadOnly = 'standby' | 'setting' | null

export const READ_ONLY_MESSAGES: Record<NonNullable<ReadOnly>, string> = {
  standby: 'The database is a standby, which takes no writes',
  setting: 'The database is set to read-only and takes no writes',
}

/**
 * Whether the server of a pooled connection accepts writes.
 *
 * @param schema a schema that {@link migrate} has created.
 * @throws when the database cannot be reached.
 */
export function whyReadOnly<Tables>(db: Kysely<Tables>, schema: 'runtime' | 'bff'): Promise<ReadOnly> {
  return db.connection().execute(async (one) => {
    const found = await sql<{ is_standby: boolean; is_read_only: boolean }>`
      select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only')::bool as is_read_only`.execute(
      one,
    )
    const { is_standby: isStandby, is_read_only: isReadOnly } = found.rows[0] ?? {}
    if (isReadOnly !== true) return null
    // this statement fails, so the pool discards the session: the next one may reach a new primary, or be writable
    await sql`select from ${sql.table(`${schema}.migration`)} where false for update`
      .execute(one)
      .catch(() => undefined)
    return isStandby === true ? 'standby' : 'setting'
  })
}
