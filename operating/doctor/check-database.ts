import type pg from 'pg'
import { bffMigrations } from '#bff/store/tables.ts'
import { findPending, refuseServer } from '#database/migrate.ts'
import { UNENCRYPTED } from '#database/settings.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { ok, warn, fail } from './finding.ts'
import type { Finding } from './finding.ts'

interface Server {
  version: string
  version_number: number
  encoding: string
  is_standby: boolean
  is_read_only: boolean
  max_connections: number
  used_connections: number
}

/** Whether the server is one that the programs can use, and whether their schemas are current. */
export async function checkDatabase(
  pool: pg.Pool,
  connectionsNeeded: number,
  { isUnencrypted, migrates }: { isUnencrypted: boolean; migrates: boolean },
): Promise<Omit<Finding, 'check'>> {
  const { rows } = await pool.query<Server>(`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int4 as version_number,
      current_setting('server_encoding') as encoding,
      pg_is_in_recovery() as is_standby,
      current_setting('default_transaction_read_only')::bool as is_read_only,
      current_setting('max_connections')::int4 as max_connections,
      (select count(*)::int4 from pg_stat_activity where backend_type = 'client backend') as used_connections`)
  const [server] = rows
  if (server === undefined) return fail('the server does not say what it is')
  refuseServer(server.version_number, server.encoding)
  if (server.is_standby) return fail('the server is a standby, which accepts no writes; name the primary')
  if (server.is_read_only)
    return fail('the server is read-only (default_transaction_read_only); allow writes')
  const pending = [
    ...(await findPending(pool, RUNTIME_MIGRATIONS)),
    ...(await findPending(pool, bffMigrations)),
  ]
  const facts = `PostgreSQL ${server.version}, ${server.used_connections} of ${server.max_connections} connections used`
  if (server.max_connections < connectionsNeeded)
    return warn(
      `${facts}; one runtime and one console use up to ${connectionsNeeded}: raise max_connections of the server`,
    )
  if (isUnencrypted) return warn(`${facts}; ${UNENCRYPTED}`)
  if (pending.length > 0)
    return migrates
      ? ok(
          `${facts}; migrations are pending (${pending.join(' ')}): the next start or "npm run migrate" runs them`,
        )
      : warn(
          `${facts}; migrations are pending (${pending.join(' ')}): run "npm run migrate", because with DATABASE_MIGRATE=off no program starts before`,
        )
  return ok(`${facts}; the schemas are current`)
}
