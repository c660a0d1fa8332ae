import type { Database } from '#database/pool.ts'
import { runEvery } from './deps/periodic-task.ts'
import type { PeriodicTask } from './deps/periodic-task.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { Db } from './model/db.ts'
import type { RuntimeTables } from './model/tables.ts'
import { IS_SAME_SERVER, isSameServer, recover } from './store/recovery/recover.ts'

/** Short, because after a failover no operation is created or continued until this has noticed it. */
const EVERY_MS = 500
/** A look that takes longer is abandoned with its connection, which may lead to a server that is gone. */
const LOOK_TIMEOUT_MS = 5_000

/**
 * Recovers if the database went back in time or moved; see docs/operating/recover.md.
 *
 * @param recoveryDb the same database without a statement timeout.
 * @param isSame looks whether it moved.
 */
export async function recoverIfMoved(
  { db, log }: Pick<RuntimeDeps, 'db' | 'log'>,
  recoveryDb: Db,
  isSame: () => Promise<boolean> = () => isSameServer(db),
): Promise<void> {
  if (await isSame()) return
  const recovery = await recover(recoveryDb)
  if (recovery === null) return
  log.warn('the database is on another server or timeline; numbers that plugins may have seen are skipped', {
    ...recovery,
  })
}

/**
 * Notices a failover while the replica runs. Until it is recovered, no operation is created or leased. It looks and
 * recovers over a separate connection, because after a failover everything else waits for connections.
 *
 * @param recovering without a statement timeout, with one connection.
 */
export function startRecovery(
  deps: RuntimeDeps,
  recovering: Pick<Database<RuntimeTables>, 'db' | 'pool'>,
): PeriodicTask {
  const isSame = async (): Promise<boolean> => {
    const look = { text: IS_SAME_SERVER, query_timeout: LOOK_TIMEOUT_MS }
    const { rows } = await recovering.pool.query<{ same: boolean }>(look)
    return rows[0]?.same ?? false
  }
  return runEvery(
    deps,
    {
      everyMs: EVERY_MS,
      failureMessage: 'the identity of the database could not be checked',
      first: 'later',
    },
    () => recoverIfMoved(deps, recovering.db, isSame),
  )
}
