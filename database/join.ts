import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { embeddedDatabase, openServer } from './open.ts'
import type { OpenServer } from './open.ts'
import { clusterUser } from './server/cluster.ts'
import type { DatabaseLog } from './server/log.ts'
import { needsTcp } from './server/place.ts'
import { DirectoryInUse } from './server/program-lock.ts'

/**
 * The database for a command: the one in the URL, or else the embedded one in `dataDir`. Joins the server of a running
 * program, otherwise starts it for the command. Never creates a database. Throws one line that says what to do.
 */
export async function joinServer(options: {
  databaseUrl: string | null
  dataDir: string
  log: DatabaseLog
  /** For the database of a URL; default one minute. */
  waitMs?: number
}): Promise<OpenServer> {
  const { databaseUrl, dataDir } = options
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgresql')))
    throw new Error(`There is no database in DATA_DIR ${dataDir}, and DATABASE_URL is not set`)
  try {
    return await openServer(options)
  } catch (error) {
    const host = error instanceof DirectoryInUse ? error.holder?.runDirectory : undefined
    // over TCP only the program that started the server knows its port
    if (host === undefined || needsTcp || !existsSync(host)) throw error
    const connection = { host, port: 5432, user: clusterUser, database: embeddedDatabase }
    return {
      connection,
      isExclusive: false,
      failed: new Promise(() => {}),
      retryWhileAway: (step) => step(),
      stop: async () => {},
    }
  }
}
