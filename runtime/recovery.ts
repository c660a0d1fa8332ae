import type { Database } from '#database/pool.ts'
import { runEvery } from './deps/periodic-task.ts'
import type { PeriodicTask } from './deps/periodic-task.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { Db } from './model/db.ts'
import type { RuntimeTables } from './model/tables.ts'
import { FIND_SERVER, findServer, RAISE_BY } from './store/recovery/recover.ts'
import type { RecoverOptions, SeenServer } from './store/recovery/recover.ts'
import { recoverDatabase } from './use-cases/overview/recovery.ts'

/** Short, because after a failover no operation is created or continued until this has noticed it. */
const EVERY_MS = 500
/** A look that takes longer is abandoned with its connection, which may lead to a server that is gone. */
const LOOK_TIMEOUT_MS = 5_000

/** Where a replica saw the database last. */
export interface LastSeen {
  server: SeenServer | null
}

/**
 * Recovers if the database went back in time or moved; see docs/operating/recover.md.
 *
 * @param recoveryDb the same database without a statement timeout.
 * @param last what this function remembers from one call to the next.
 * @param look where the database is.
 */
export async function recoverIfMoved(
  { db, log }: Pick<RuntimeDeps, 'db' | 'log'>,
  recoveryDb: Db,
  last: LastSeen = { server: null },
  look: () => Promise<SeenServer> = () => findServer(db),
): Promise<void> {
  const server = await look()
  const needed = neededRecovery(last.server, server)
  const recovery = needed && (await recoverDatabase(recoveryDb, { because: 'SERVER_CHANGED' }, needed))
  last.server = server
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
  const last: LastSeen = { server: null }
  const look = async (): Promise<SeenServer> => {
    const query = { text: FIND_SERVER, query_timeout: LOOK_TIMEOUT_MS }
    const { rows } = await recovering.pool.query<SeenServer>(query)
    const [server] = rows
    if (server === undefined) throw new Error('the statement returned no row')
    return server
  }
  return runEvery(
    deps,
    {
      everyMs: EVERY_MS,
      failureMessage: 'the identity of the database could not be checked',
      first: 'later',
    },
    () => recoverIfMoved(deps, recovering.db, last, look),
  )
}

/** How to recover, or null. An earlier timeline cannot know of the later one, so only this process can notice it. */
function neededRecovery(before: SeenServer | null, now: SeenServer): RecoverOptions | null {
  const timelinesBack = before === null ? 0 : timelineOf(before) - timelineOf(now)
  // the lost timelines gave numbers away too, each after it was raised
  if (before !== null && systemOf(before) === systemOf(now) && timelinesBack > 0)
    return { isForced: true, since: before.at, raiseBy: RAISE_BY * (timelinesBack + 1) }
  return now.isSame ? null : {}
}

/** The parts of an identity; a server that does not reveal it never seems to go back. */
const systemOf = ({ identity }: SeenServer): string => identity?.split('/')[0] ?? ''
const timelineOf = ({ identity }: SeenServer): number => Number.parseInt(identity?.split('/')[1] ?? '0', 16)
