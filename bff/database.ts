import { migrate, refusePending } from '#database/migrate.ts'
import type { OpenServer } from '#database/open.ts'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { isUnavailable, whyUnreachable } from '#database/unreachable.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { purgeExpired } from './store/purge-expired.ts'
import type { SessionLimits } from './store/sessions.ts'
import { bffMigrations } from './store/tables.ts'
import type { BffTables, BffDb } from './store/tables.ts'

/** Opens and migrates the database of the console. The caller closes it after the console has stopped. */
export async function openConsoleDatabase(options: {
  connection: ConnectionSettings
  /** A connection that keeps its session, for migrating; default: `connection`. */
  direct?: ConnectionSettings
  /** Repeats the migration if the database goes away during it; default: runs it once. */
  retryWhileAway?: OpenServer['retryWhileAway']
  /** Whether to migrate; otherwise pending migrations are refused. Default true. */
  migrates?: boolean
  log: Log
}): Promise<Database<BffTables>> {
  const { connection, direct = connection, retryWhileAway = (step) => step(), migrates = true, log } = options
  const database = openDatabase<BffTables>(connection, {
    applicationName: 'bundle-console',
    onIdleError: (error) =>
      log.warn('an idle database connection was lost', { reason: whyUnreachable(error).reason }),
  })
  try {
    await retryWhileAway(async () => {
      const { pool, close } = openDatabase(direct, { max: 1, applicationName: 'bundle-console' })
      try {
        if (migrates) await migrate(pool, bffMigrations)
        else await refusePending(pool, bffMigrations)
      } finally {
        await close()
      }
    })
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

interface PurgingOptions {
  db: BffDb
  limits: SessionLimits
  /** Default: the machine's. */
  clock?: Pick<Clock, 'now'>
  log: Log
  /** Default 60,000. */
  intervalMs?: number
}

/** Deletes all expired records once a minute. Replicas may do so at the same time. */
export function startPurging({ db, limits, clock = systemClock, log, intervalMs = 60_000 }: PurgingOptions): {
  stop(): Promise<void>
} {
  const stopped = new AbortController()

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        while (!stopped.signal.aborted && (await purgeExpired(db, { limits, now: clock.now() })));
      } catch (error) {
        // the next run deletes the rest
        if (!isUnavailable(error)) log.warn('expired sessions and sign-ins could not be deleted', {}, error)
      }
      await systemClock.sleep(intervalMs, stopped.signal).catch(() => undefined)
    }
  }
  const running = run()

  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
