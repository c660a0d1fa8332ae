import { joinServer } from '#database/join.ts'
import { pendingMigrations, readMigrations } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import { isPgError, PG } from '#database/transaction.ts'
import { createLog, fieldsFirst } from '#http-kit/log.ts'
import type { Program } from '#http-kit/program.ts'
import { readRuntimeSettings } from '../config.ts'
import { listAppliedMigrations, RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import type { RuntimeTables } from '../model/tables.ts'
import type { Db } from '../model/db.ts'

/** What a command works on that is run beside the runtime or without it: the settings and the database of the runtime. */
export async function openForCommand(
  onStop: Program['onStop'],
  name: string,
): Promise<{ settings: ReturnType<typeof readRuntimeSettings>; db: Db }> {
  const settings = readRuntimeSettings(process.env)
  const { database, dataDir, logLevel } = settings
  const log = createLog({ name, level: logLevel === 'debug' ? 'debug' : 'warn' })
  const server = await joinServer({ databaseUrl: database.url, dataDir, log: fieldsFirst(log) })
  onStop(() => server.stop())
  const { db, close } = openDatabase<RuntimeTables>(server.connection, { applicationName: name })
  onStop(close)
  await refuseNewerSchema(db)
  return { settings, db }
}

/** A command of an older version does not know what a newer one keeps where, so it changes nothing there. */
async function refuseNewerSchema(db: Db): Promise<void> {
  const applied = await listAppliedMigrations(db).catch((error: unknown) => {
    // no runtime has started on it yet; each command says what that means for it
    if (isPgError(error, PG.undefinedTable)) return []
    throw error
  })
  pendingMigrations(RUNTIME_MIGRATIONS.schema, await readMigrations(RUNTIME_MIGRATIONS.folder), applied)
}
