import { joinServer } from '#database/join.ts'
import { openDatabase } from '#database/pool.ts'
import { createLog, fieldsFirst } from '#edge/log.ts'
import type { Program } from '#edge/program.ts'
import { readRuntimeSettings } from './config.ts'
import type { RuntimeTables } from './store/tables.ts'
import type { Db } from './world.ts'

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
  return { settings, db }
}
