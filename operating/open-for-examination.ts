import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { joinServer } from '#database/join.ts'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { fromUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { whyUnreachable } from '#database/unreachable.ts'
import { createLog, fieldsFirst } from '#http-kit/log.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { hasDataKeyTable } from '#runtime/store/data-keys.ts'
import type { Deployment } from './deployment.ts'

/** `isMigrated`: whether the tables of the runtime exist. */
export type Opened = Database<RuntimeTables> & { isMigrated: boolean }

export const NOT_CREATED = 'the first start creates the embedded database'

/** The database, or in one line why there is none. */
export async function openForExamination({ dataDir, database }: Deployment): Promise<Opened | string> {
  if (database.url === null && !existsSync(join(dataDir, 'postgresql'))) return NOT_CREATED
  let connection: ConnectionSettings
  let stop = (): Promise<void> => Promise.resolve()
  try {
    if (database.url !== null) connection = fromUrl(database.url)
    else {
      const log = createLog({ name: 'doctor', level: 'silent' })
      const server = await joinServer({ databaseUrl: null, dataDir, log: fieldsFirst(log) })
      connection = server.connection
      stop = () => server.stop()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const opened = openDatabase<RuntimeTables>(connection, {
    max: 4,
    connectTimeoutMs: 5_000,
    applicationName: 'bundle-console-doctor',
  })
  const close = async (): Promise<void> => {
    await opened.close()
    await stop()
  }
  try {
    return { ...opened, close, isMigrated: await hasDataKeyTable(opened.db) }
  } catch (error) {
    await close()
    return `the database cannot be used: ${whyUnreachable(error).reason}; check DATABASE_URL and the server`
  }
}
