import type { Database } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import type { Log } from '#http-kit/log.ts'
import { uuidv7 } from '#http-kit/random.ts'
import type { SharedClock } from '#http-kit/shared-clock.ts'
import { combineTasks } from './deps/periodic-task.ts'
import type { PeriodicTask } from './deps/periodic-task.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { Feed } from './events/feed.ts'
import { joinReplicas } from './events/replicas.ts'
import type { Replicas } from './events/replicas.ts'
import type { SpaceWatch } from './http/failures.ts'
import { startJanitor } from './janitor.ts'
import { startKeyKeeper } from './keys/rotate.ts'
import type { Db } from './model/db.ts'
import type { RuntimeTables } from './model/tables.ts'
import type { PublicKey } from './model/vault.ts'
import { startRecovery } from './recovery.ts'
import { archiveReceipts } from './retention/archive-receipts.ts'
import { startRetention } from './retention/run-retention.ts'
import type { RetentionSettings } from './retention/run-retention.ts'
import { watchClock } from './watch-clock.ts'
import { watchTroubles } from './watch-troubles.ts'
import type { TroubleWatch } from './watch-troubles.ts'
import { startWork } from './work.ts'
import type { Work } from './work.ts'
import type { WorkerOptions } from './worker/worker.ts'

/** What a replica does besides answering requests. */
export interface Background {
  /** Null if this replica only serves the API. */
  work: Work | null
  troubles: TroubleWatch
  /** Null if replicas do not notify each other. */
  replicas: Replicas | null
  stop(): Promise<void>
}

export interface BackgroundOptions {
  /** Null if this replica only serves the API. */
  worker: Omit<WorkerOptions, 'owner'> | null
  /** Where replicas notify each other; null if they do not. */
  replicas: { connection: ConnectionSettings; db: Db; log: Log } | null
  /** Where the anchors of the audit are written, besides the log; null if the log is enough. */
  anchorFile: string | null
  /** Null keeps finished work forever. */
  retention: RetentionSettings | null
  /** For statements that take long. */
  recovering: Database<RuntimeTables>
  outbound: RuntimeDeps['http']
  clock: SharedClock
  space: SpaceWatch
  feed: Feed
  publicKey: PublicKey
}

/** Starts what a replica does besides answering requests, on a database that is ready. */
export function startBackground(deps: RuntimeDeps, options: BackgroundOptions): Background {
  const { clock, space, outbound, feed, publicKey } = options
  let work: Work | null = null
  let replicas: Replicas | null = null
  const troubles = watchTroubles(deps, {
    space,
    kid: publicKey.kid,
    polls: () => work?.worker.status().polls ?? null,
  })
  const tasks = combineTasks([troubles, ...startTasks(deps, options)])
  if (options.worker !== null) {
    work = startWork(deps, options.worker, {
      space,
      outbound,
      onEvents() {
        feed.wake()
        replicas?.notify('events')
      },
      onWork() {
        feed.wake()
        replicas?.notify('work')
      },
    })
  }
  if (options.replicas !== null) {
    replicas = joinReplicas({
      ...options.replicas,
      clock,
      sender: uuidv7(deps),
      onEvents: () => feed.wake(),
      onWork: () => work?.wake(),
    })
  }
  return {
    work,
    troubles,
    replicas,
    async stop() {
      await Promise.all([work?.stop(), tasks.stop()])
      await replicas?.stop()
    },
  }
}

/** What every replica does from time to time, whether it has a worker or not. */
function startTasks(deps: RuntimeDeps, options: BackgroundOptions): PeriodicTask[] {
  const { clock, space, recovering, publicKey, anchorFile, retention } = options
  return [
    watchClock(deps, clock, publicKey),
    startJanitor(deps, publicKey, anchorFile),
    startKeyKeeper(deps),
    startRecovery(deps, recovering),
    ...(retention === null ? [] : [removeOld(deps, retention, { clock, space })]),
  ]
}

const removeOld = (
  deps: RuntimeDeps,
  { archive, ...periods }: RetentionSettings,
  { clock, space }: { clock: SharedClock; space: SpaceWatch },
): PeriodicTask =>
  startRetention(deps, {
    ...periods,
    // what is old is not certain while clocks differ
    isPaused: () => (clock.problem() === null ? space.isOut(deps.db) : Promise.resolve(true)),
    ...(archive !== null && { archive: (ids) => archiveReceipts(deps, archive, ids) }),
  })
