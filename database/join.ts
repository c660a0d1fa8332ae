import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { embeddedDatabase, openServer } from './open.ts'
import type { OpenServer } from './open.ts'
import { clusterUser } from './server/cluster.ts'
import type { DatabaseLog } from './server/log.ts'
import { needsTcp } from './server/place.ts'
import { DirectoryInUse } from './server/program-lock.ts'

/**
 * The database for a command: that of the URL, or else the embedded one in `dataDir`, also while a program is running on it,
 * else started for the command. None is made. Throws one line that says what to do.
 */
export async function joinServer(options: {
  databaseUrl: string | null
  dataDir: string
  log: DatabaseLog
}): Promise<OpenServer> {
  const { databaseUrl, dataDir } = options
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgresql')))
    throw new Error(`There is no database in DATA_DIR ${dataDir}, and DATABASE_URL is not set`)
  try {
    return await openServer(options)
  } catch (error) {
    const host = error instanceof DirectoryInUse ? error.holder?.runDirectory : undefined
    // over TCP it is known to its own program alone where its server is
    if (host === undefined || needsTcp || !existsSync(host)) throw error
    const connection = { host, port: 5432, user: clusterUser, database: embeddedDatabase }
    return {
      connection,
      isExclusive: false,
      failed: new Promise(() => {}),
      outlast: (step) => step(),
      stop: async () => {},
    }
  }
}
