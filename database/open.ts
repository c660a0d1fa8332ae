import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkDataDirectory } from './data-directory.ts'
import { createDatabaseIfMissing, startEmbedded, type EmbeddedDatabase } from './embedded.ts'
import { retryWhileAway, reachDatabase } from './reach.ts'
import type { DatabaseLog } from './server/log.ts'
import { refuseDirectoryInUse } from './server/program-lock.ts'
import { fromUrl, isReadableByOthers, UNENCRYPTED, type ConnectionSettings } from './settings.ts'

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
export function checkServer({
  databaseUrl,
  dataDir,
  variable,
}: {
  databaseUrl: string | null
  dataDir: string
  /** The setting of the URL, for the message. */
  variable?: string
}): void {
  checkDataDirectory(dataDir)
  if (databaseUrl === null) refuseDirectoryInUse(dataDir)
  else fromUrl(databaseUrl, variable)
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
  /** Of the embedded one, for development only; see {@link startEmbedded}. */
  isDisposable?: boolean | undefined
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
  const embedded = await startEmbedded({ dataDir, log, isDisposable: options.isDisposable })
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

/** What a server needs to recover: it writes whole log files, 16 MiB each. */
const NEEDED_BYTES = 64 * 1024 * 1024
const LOOK_EVERY_MS = 1_000

/**
 * Restarts the embedded server after it ended because its disk was full, as soon as there is space. PostgreSQL stops
 * when it cannot write its log, and then cannot even recover. Resolves when the server ended for any other reason.
 */
async function keepRunning(
  database: EmbeddedDatabase,
  { dataDir, log, signal }: { dataDir: string; log: DatabaseLog; signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const { expected, output } = await database.exited
    if (expected || signal.aborted) return new Promise(() => {})
    if (!isAboutSpace(output)) return
    log.error(
      { dataDir },
      'the database has stopped: no space is left in DATA_DIR; it restarts once space is free',
    )
    if (!(await restart(database, dataDir, signal))) return signal.aborted ? new Promise(() => {}) : undefined
    log.info({}, 'the database is running again')
  }
}

/** False if it fails to start for another reason, or must not start. */
async function restart(database: EmbeddedDatabase, dataDir: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await hasSpace(dataDir)) {
      try {
        await database.resume()
        return true
      } catch (error) {
        if (!isAboutSpace(error instanceof Error ? error.message : '')) return false
      }
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
  return false
}

async function hasSpace(directory: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize >= NEEDED_BYTES
}

function isAboutSpace(output: string): boolean {
  return output.includes('No space left on device')
}
