import { migrate, refusePending } from '#database/migrate.ts'
import type { OpenServer } from '#database/open.ts'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import type { Log } from '#http-kit/log.ts'
import { bffMigrations } from './store/tables.ts'
import type { BffTables } from './store/tables.ts'

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
    onIdleError: (error) => log.warn('an idle database connection was lost', {}, error),
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
