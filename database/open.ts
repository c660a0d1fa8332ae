import { checkDataDirectory } from './data-directory.ts'
import { createDatabaseIfMissing, startEmbedded } from './embedded.ts'
import { keepRunning } from './keep-running.ts'
import { retryWhileAway, reachDatabase } from './reach.ts'
import type { ClusterTemplates } from './server/cluster.ts'
import type { DatabaseLog } from './server/log.ts'
import { refuseDirectoryInUse } from './server/program-lock.ts'
import { fromUrl, isReadableByOthers, UNENCRYPTED } from './settings.ts'
import type { ConnectionSettings } from './settings.ts'

export type OpenServer = {
  connection: ConnectionSettings
  /**
   * True if the server is the embedded one and this process holds the lock of its directory, so no other program uses
   * it.
   */
  isExclusive: boolean
  /** Settles only when the embedded server ends on its own, for a reason other than a full disk. */
  failed: Promise<void>
  /** Runs a step of the program's start, and repeats it if the database goes away during it; see {@link retryWhileAway}. */
  retryWhileAway<Result>(step: () => Promise<Result>): Promise<Result>
  stop(): Promise<void>
}

/** The name of the embedded database. */
export const embeddedDatabase = 'bundle_console'

/**
 * Throws one line if {@link openServer} with these options and the keys in `dataDir` cannot succeed, as far as can be
 * checked without creating or changing anything.
 */
export function checkServer({ databaseUrl, dataDir }: { databaseUrl: string | null; dataDir: string }): void {
  checkDataDirectory(dataDir)
  if (databaseUrl === null) refuseDirectoryInUse(dataDir)
  else fromUrl(databaseUrl)
}

/**
 * The database of the URL, awaited if it is down, or else the embedded one in `dataDir`. Throws one line that says what
 * to do.
 */
export async function openServer(options: {
  databaseUrl: string | null
  dataDir: string
  log: DatabaseLog
  /** For the database of a URL; default one minute. */
  waitMs?: number
  connectTimeoutMs?: number
  /** For development only; `prepare` gets the connection to the database that everything uses. */
  templates?: ClusterTemplates | undefined
  /** Aborts the wait. */
  signal?: AbortSignal
}): Promise<OpenServer> {
  const { databaseUrl, dataDir, log, signal, waitMs = 60_000, connectTimeoutMs = 10_000 } = options
  if (databaseUrl !== null) {
    const connection = fromUrl(databaseUrl)
    if (isReadableByOthers(connection)) log.warn({}, UNENCRYPTED)
    const reach = { log, waitMs, connectTimeoutMs, ...(signal && { signal }) }
    await reachDatabase(connection, reach)
    return {
      connection,
      isExclusive: false,
      failed: new Promise(() => {}),
      retryWhileAway: (step) => retryWhileAway(connection, reach, step),
      stop: async () => {},
    }
  }
  const templates = options.templates && {
    ...options.templates,
    prepare: async (connection: ConnectionSettings) =>
      options.templates?.prepare(await createDatabaseIfMissing(connection, embeddedDatabase)),
  }
  const embedded = await startEmbedded({ dataDir, log, templates })
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
    // it does not recover on its own
    retryWhileAway: (step) => step(),
    stop() {
      stopping.abort()
      return embedded.stop()
    },
  }
}
