import { runEvery } from './deps/periodic-task.ts'
import type { PeriodicTask } from './deps/periodic-task.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { Db } from './model/db.ts'
import { isSameServer, recover } from './store/recovery/recover.ts'

/** Short, because after a failover no operation is created or continued until this has noticed it. */
const EVERY_MS = 500

/**
 * Recovers if the database went back in time or moved; see docs/operating/recover.md.
 *
 * @param recoveryDb the same database without a statement timeout.
 */
export async function recoverIfMoved(
  { db, log }: Pick<RuntimeDeps, 'db' | 'log'>,
  recoveryDb: Db,
): Promise<void> {
  if (await isSameServer(db)) return
  const recovery = await recover(recoveryDb)
  if (recovery === null) return
  log.warn('the database is on another server or timeline; numbers that plugins may have seen are skipped', {
    ...recovery,
  })
}

/** Notices a failover while the replica runs. Until it is recovered, no operation is created or leased. */
export function startRecovery(deps: RuntimeDeps, recoveryDb: Db): PeriodicTask {
  return runEvery(
    deps,
    {
      everyMs: EVERY_MS,
      failureMessage: 'the identity of the database could not be checked',
      first: 'later',
    },
    () => recoverIfMoved(deps, recoveryDb),
  )
}
