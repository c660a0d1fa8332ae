import { createDatabaseIfMissing, startEmbedded } from './embedded.ts'
import type { DatabaseLog } from './server/log.ts'
import { fromUrl } from './settings.ts'
import type { ConnectionSettings } from './settings.ts'

export type OpenServer = {
  connection: ConnectionSettings
  /** Settles only when the embedded server ends by itself. */
  failed: Promise<void>
  stop(): Promise<void>
}

const NAME = 'bundle_console'

/** The database of the URL, or else the embedded one in `dataDir`. Throws one line that says what to do. */
export async function openServer(options: {
  databaseUrl: string | null
  dataDir: string
  log: DatabaseLog
}): Promise<OpenServer> {
  const { databaseUrl, dataDir, log } = options
  if (databaseUrl !== null) {
    return { connection: fromUrl(databaseUrl), failed: new Promise(() => {}), stop: async () => {} }
  }
  const embedded = await startEmbedded({ dataDir, log })
  const connection = await createDatabaseIfMissing(embedded.connection, NAME).catch(
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
