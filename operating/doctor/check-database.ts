import type pg from 'pg'
import { bffMigrations } from '#bff/store/tables.ts'
import { findPending, refuseServer } from '#database/migrate.ts'
import { UNENCRYPTED, fromUrl, isReadableByOthers } from '#database/settings.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { ok, warn, fail, skip } from './finding.ts'
import type { Finding } from './finding.ts'
import { openDatabase } from '#database/pool.ts'
import { whyUnreachable } from '#database/unreachable.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { readPrimaryPosition, readStandbyState } from '#runtime/store/standby.ts'
import type { Opened } from '../open-for-examination.ts'
import type { Db } from '#runtime/model/db.ts'
import { readRetention } from '#runtime/store/retention/retention-row.ts'
import { requireArchive } from '#runtime/retention/archive-receipts.ts'
import type { Deployment } from '../deployment.ts'

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

const WAIT_MS = 2_000
const POLL_MS = 50

/** Whether `DATABASE_READ_URL` leads to a standby of this database that keeps up. Without one, the primary serves all reads. */
export async function checkStandby(
  { db, isMigrated }: Opened,
  readUrl: string | null,
): Promise<Omit<Finding, 'check'>> {
  if (readUrl === null) return skip('DATABASE_READ_URL is not set: the primary serves all reads')
  if (!isMigrated) return skip('the database has no tables yet')
  const connection = fromUrl(readUrl)
  const standby = openDatabase<RuntimeTables>(connection, {
    max: 1,
    connectTimeoutMs: 5_000,
    applicationName: 'bundle-console-doctor',
  })
  try {
    const position = await readPrimaryPosition(db)
    const deadline = performance.now() + WAIT_MS
    for (;;) {
      const { isStandby, hasReached } = await readStandbyState(standby.db, position)
      if (!isStandby) return warn('DATABASE_READ_URL leads to no standby: name one, or remove the variable')
      if (hasReached) break
      if (performance.now() > deadline)
        return warn(
          'the standby is more than 2 s behind, or not one of this database: the primary serves all reads',
        )
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    return isReadableByOthers(connection)
      ? warn(UNENCRYPTED.replace('DATABASE_URL', 'DATABASE_READ_URL'))
      : ok('the standby keeps up with the primary')
  } catch (error) {
    return warn(`the standby cannot be used: ${whyUnreachable(error).reason}; the primary serves all reads`)
  } finally {
    await standby.close()
  }
}

const DAY = 86_400
const LATE = 2 * DAY

/** How long finished work is kept, and whether old work is removed. */
export async function checkRetention(
  { runtime }: Deployment,
  db: Db,
  isCurrent: boolean,
): Promise<Omit<Finding, 'check'>> {
  if (runtime === null) return skip('only runtimes remove what is old')
  const { operationsDays, attemptsDays } = runtime.retention
  if (operationsDays === 0 && attemptsDays === 0)
    return warn(
      'nothing is ever removed, so the disk fills up; set RETENTION_OPERATIONS_DAYS or RETENTION_ATTEMPTS_DAYS',
    )
  await requireArchive(runtime.retention.archive)
  const kept = `operations are kept ${periodOf(operationsDays)}, their attempts ${periodOf(attemptsDays)}`
  if (!isCurrent) return ok(kept)
  const { overdue, sinceCompleted, failures } = await readRetention(db)
  if (overdue > LATE)
    return warn(
      `${kept}; a run is overdue for ${days(overdue)} (${failures} failures): see the log of the runtime`,
    )
  return ok(`${kept}; ${sinceCompleted === null ? 'no run yet' : `last run ${hours(sinceCompleted)} ago`}`)
}

const periodOf = (count: number): string => (count === 0 ? 'forever' : `for ${count} days`)
const days = (seconds: number): string => `${Math.floor(seconds / DAY)} days`
const hours = (seconds: number): string => `${Math.floor(seconds / 3_600)} h`
