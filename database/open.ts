import { createDatabaseIfMissing, startEmbedded } from './embedded.ts'
import { reachDatabase } from './reach.ts'
import type { DatabaseLog } from './server/log.ts'
import { fromUrl } from './settings.ts'
import type { ConnectionSettings } from './settings.ts'

export type OpenServer = {
  connection: ConnectionSettings
  /** Settles only when the embedded server ends by itself. */
  failed: Promise<void>
  stop(): Promise<void>
}

/** The name of the embedded database. */
export const embeddedDatabase = 'bundle_console'

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
    await reachDatabase(connection, { log, waitMs, connectTimeoutMs, ...(signal && { signal }) })
    return { connection, failed: new Promise(() => {}), stop: async () => {} }
  }
  const embedded = await startEmbedded({ dataDir, log })
  const connection = await createDatabaseIfMissing(embedded.connection, embeddedDatabase).catch(
    async (error: unknown) => {
      await embedded.stop()
      throw error
    },
  )
  return {
    connection,
    failed: embedded.exited.then(({ expected }) => (expected ? new Promise<void>(() => {}) : undefined)),
    stop: () => embedded.stop(),
  }
}
