import { openDatabase } from '#database/pool.ts'
import { fromUrl, isReadableByOthers, UNENCRYPTED } from '#database/settings.ts'
import { whyUnreachable } from '#database/unreachable.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { readPrimaryPosition, readStandbyState } from '#runtime/store/standby.ts'
import type { Opened } from '../open-for-examination.ts'
import { ok, skip, warn } from './finding.ts'
import type { Finding } from './finding.ts'

const WAIT_MS = 2_000
const POLL_MS = 50

/** Whether `DATABASE_READ_URL` leads to a standby of this database that keeps up. Without one, the primary serves all reads. */
export async function checkStandby(
  { db, isMigrated }: Opened,
  readUrl: string | null,
): Promise<Omit<Finding, 'check'>> {
  if (readUrl === null) return skip('DATABASE_READ_URL is not set: the primary serves all reads')
  if (!isMigrated) return skip('the database has no tables yet')
  const connection = fromUrl(readUrl)
  const standby = openDatabase<RuntimeTables>(connection, {
    max: 1,
    connectTimeoutMs: 5_000,
    applicationName: 'bundle-console-doctor',
  })
  try {
    const position = await readPrimaryPosition(db)
    const deadline = performance.now() + WAIT_MS
    for (;;) {
      const { isStandby, hasReached } = await readStandbyState(standby.db, position)
      if (!isStandby) return warn('DATABASE_READ_URL leads to no standby: name one, or remove the variable')
      if (hasReached) break
      if (performance.now() > deadline)
        return warn(
          'the standby is more than 2 s behind, or not one of this database: the primary serves all reads',
        )
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    return isReadableByOthers(connection)
      ? warn(UNENCRYPTED.replace('DATABASE_URL', 'DATABASE_READ_URL'))
      : ok('the standby keeps up with the primary')
  } catch (error) {
    return warn(`the standby cannot be used: ${whyUnreachable(error).reason}; the primary serves all reads`)
  } finally {
    await standby.close()
  }
}
