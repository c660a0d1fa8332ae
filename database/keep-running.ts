import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

import type { EmbeddedDatabase } from './embedded.ts'
import type { DatabaseLog } from './server/log.ts'

/** What a server needs to recover: it writes whole log files, 16 MiB each. */
const NEEDED_BYTES = 64 * 1024 * 1024
const LOOK_EVERY_MS = 1_000

/**
 * Restarts the embedded server after it ended because its disk was full, as soon as there is space. PostgreSQL stops
 * when it cannot write its log, and then cannot even recover. Resolves when the server ended for any other reason.
 */
export async function keepRunning(
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
