import { checkDataDirectory } from './data-directory.ts'
import { createDatabaseIfMissing, startEmbedded } from './embedded.ts'
import { keepRunning } from './keep-running.ts'
import { outlast, reachDatabase } from './reach.ts'
import type { DatabaseLog } from './server/log.ts'
import { refuseDirectoryInUse } from './server/program-lock.ts'
import { fromUrl } from './settings.ts'
import type { ConnectionSettings } from './settings.ts'

export type OpenServer = {
  connection: ConnectionSettings
  /** It is the embedded one and this process holds the lock of its directory, so no other program runs on it. */
  isExclusive: boolean
  /** Settles only when the embedded server ends by itself, for another reason than a full disk. */
  failed: Promise<void>
  /** Does a step of the program's start, and again where the database goes away amid it; see {@link outlast}. */
  outlast<Result>(step: () => Promise<Result>): Promise<Result>
  stop(): Promise<void>
}

/** The name of the embedded database. */
export const embeddedDatabase = 'bundle_console'

/**
 * Throws one line where {@link openServer} with these options and the keys in `dataDir` cannot succeed, for all that can be
 * seen without making or changing anything.
 */
export function checkServer({ databaseUrl, dataDir }: { databaseUrl: string | null; dataDir: string }): void {
  checkDataDirectory(dataDir)
  if (databaseUrl === null) refuseDirectoryInUse(dataDir)
  else fromUrl(databaseUrl)
}

/**
 * The database of the URL, waited for where it is away, or else the embedded one in `dataDir`. Throws one line that says
 * what to do.
 */
export async function openServer(options: {
  databaseUrl: string | null
  dataDir: string
  log: DatabaseLog
  /** For the database of a URL; default a minute. */
  waitMs?: number
  connectTimeoutMs?: number
  /** Ends the waiting. */
  signal?: AbortSignal
}): Promise<OpenServer> {
  const { databaseUrl, dataDir, log, signal, waitMs = 60_000, connectTimeoutMs = 10_000 } = options
  if (databaseUrl !== null) {
    const connection = fromUrl(databaseUrl)
    const reach = { log, waitMs, connectTimeoutMs, ...(signal && { signal }) }
    await reachDatabase(connection, reach)
    return {
      connection,
      isExclusive: false,
      failed: new Promise(() => {}),
      outlast: (step) => outlast(connection, reach, step),
      stop: async () => {},
    }
  }
  const embedded = await startEmbedded({ dataDir, log })
  const connection = await createDatabaseIfMissing(embedded.connection, embeddedDatabase).catch(
    async (error: unknown) => {
      await embedded.stop()
      throw error
    },
  )
  const stopping = new AbortController()
  return {
    connection,
    isExclusive: true,
    failed: keepRunning(embedded, { dataDir, log, signal: stopping.signal }),
    // it does not come back by itself
    outlast: (step) => step(),
    stop() {
      stopping.abort()
      return embedded.stop()
    },
  }
}
