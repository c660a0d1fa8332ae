import { sql } from 'kysely'
import { SettingsError } from '#http-kit/settings.ts'
import type { Db } from '#runtime/model/db.ts'

/**
 * Refuses while runtimes are connected: what they do until they notice the recovery has the numbers that it raises. A
 * pooler keeps the name of a runtime that has ended for a while, so a person may know better.
 *
 * @throws SettingsError that names the connections.
 */
export async function refuseConnectedRuntimes(db: Db): Promise<void> {
  const { rows } = await sql<{ line: string }>`
    select concat(count(*), ' of ', application_name, ' from ' || host(client_addr)) as line
    from pg_stat_activity where datname = current_database() and application_name like 'bundle-runtime%'
    group by application_name, client_addr order by application_name, client_addr`.execute(db)
  if (rows.length === 0) return
  throw new SettingsError(
    `Runtimes are connected to the database (${rows.map(({ line }) => line).join(', ')}). ` +
      'Stop all of them, then run this again. If you know that none runs, add --despite-connections.',
  )
}
