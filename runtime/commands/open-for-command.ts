import { joinServer } from '#database/join.ts'
import { pendingMigrations, readMigrations } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import type { PoolOptions } from '#database/pool.ts'
import { isPgError, PG } from '#database/transaction.ts'
import { createLog, fieldsFirst } from '#http-kit/log.ts'
import type { Program } from '#http-kit/program.ts'
import { readRuntimeSettings } from '../config.ts'
import { listAppliedMigrations, RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import type { RuntimeTables } from '../model/tables.ts'
import type { Db } from '../model/db.ts'

/** Opens what a command needs, with or without a running runtime: the runtime's settings and database. */
export async function openForCommand(
  onStop: Program['onStop'],
  name: string,
  limits: Pick<PoolOptions, 'statementTimeoutMs'> = {},
): Promise<{ settings: ReturnType<typeof readRuntimeSettings>; db: Db }> {
  const settings = readRuntimeSettings(process.env)
  const { database, dataDir, logLevel } = settings
  const log = createLog({ name, level: logLevel === 'debug' ? 'debug' : 'warn' })
  const server = await joinServer({
    databaseUrl: database.url,
    dataDir,
    log: fieldsFirst(log),
    waitMs: database.waitMs,
  })
  onStop(() => server.stop())
  const { db, close } = openDatabase<RuntimeTables>(server.connection, { ...limits, applicationName: name })
  onStop(close)
  await refuseNewerSchema(db)
  return { settings, db }
}

/** A command of an older version does not know where a newer one stores its data, so it changes nothing. */
async function refuseNewerSchema(db: Db): Promise<void> {
  const applied = await listAppliedMigrations(db).catch((error: unknown) => {
    // no runtime has started on this database yet; each command reports that in its own way
    if (isPgError(error, PG.undefinedTable)) return []
    throw error
  })
  pendingMigrations(RUNTIME_MIGRATIONS.schema, await readMigrations(RUNTIME_MIGRATIONS.folder), applied)
}
