import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#database/pool.ts'
import { fromUrl } from '#database/settings.ts'
import { isUnavailable } from '#database/unreachable.ts'
import { testHttp } from '#runtime/testing/http.ts'
import type { TestAnswer, Call } from '#runtime/testing/http.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { openLossyLink } from './lossy-link.ts'
import type { Db } from '#runtime/model/db.ts'

/** Two runtimes on one database. One is connected through a link that loses commits; connections of both are cut. */
export interface Replicas {
  count: number
  /** Null if the response does not say whether the request was executed. */
  call(replica: number, path: string, call: Call): Promise<TestAnswer | null>
  /** Reads from the database directly; retries while it restarts. */
  read<Result>(read: (db: Db) => Promise<Result>): Promise<Result>
  /** Cuts connections, and loses commits, until it is stopped. */
  startFaults(): { stop(): Promise<FaultCounts> }
  close(): Promise<void>
}

export interface FaultCounts {
  cuts: number
  restarts: number
}

export interface ReplicasOptions {
  databaseUrl: string
  random: SeededRandom
  /** Restarts the database; null if it must not be restarted. */
  restartDatabase: (() => Promise<void>) | null
}

const LOST_COMMITS = 0.1

export async function startReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { databaseUrl, random, restartDatabase } = options
  const settings = {
    worker: { leaseMs: 600, pollMs: 50, graceMs: 100 },
    connections: { http: 10, worker: 3 },
    rateLimit: { perSecond: 1e6, burst: 1e6 },
    checkAnswers: false,
  }
  const direct = await testHttp(settings, databaseUrl)
  const { database } = direct.connection
  let isLossy = false
  const link = await openLossyLink({ ...fromUrl(databaseUrl), database }, () =>
    isLossy && random.chance(LOST_COMMITS) ? random.pick(['before', 'during', 'after'] as const) : 'none',
  )
  const { connection } = link
  const { sealingKeyFiles } = direct
  const lossy = await testHttp({ ...settings, connection, sealingKeyFiles }, databaseUrl)
  const runtimes = [lossy, direct]
  const observer = openDatabase<RuntimeTables>(direct.connection, { max: 6 })

  const terminateOne = () =>
    persistently(() =>
      observer.pool.query(
        `with open as (
           select pid, row_number() over (order by backend_start, pid) as number, count(*) over () as count
           from pg_stat_activity
           where datname = current_database() and application_name like 'bundle-runtime%')
         select pg_terminate_backend(pid) from open where number = 1 + floor($1::float8 * count)`,
        [random.fraction()],
      ),
    )
  const causeFaults = async (signal: AbortSignal): Promise<FaultCounts> => {
    const counts = { cuts: 0, restarts: 0 }
    let nextRestart = performance.now() + 3_000
    while (!signal.aborted) {
      await sleep(20 + random.below(120))
      if (restartDatabase !== null && performance.now() > nextRestart) {
        await restartDatabase()
        counts.restarts++
        nextRestart = performance.now() + 3_000 + random.below(3_000)
        continue
      }
      counts.cuts++
      if (random.chance(0.5)) link.cutOne((count) => random.below(count))
      else await terminateOne()
    }
    return counts
  }

  return {
    count: runtimes.length,
    async call(replica, path, call) {
      const answer = await runtimes[replica]?.call(path, call)
      // only an envelope says what happened
      return answer?.status === 200 ? answer : null
    },
    read: (read) => persistently(() => read(observer.db)),
    startFaults() {
      isLossy = true
      const end = new AbortController()
      const causing = causeFaults(end.signal)
      return {
        stop() {
          isLossy = false
          end.abort()
          return causing
        },
      }
    },
    async close() {
      await lossy.close()
      await link.close()
      await observer.close()
      await direct.close()
    },
  }
}

const PATIENCE_MS = 60_000

/** Retries a step for as long as the database is unavailable. */
async function persistently<Result>(step: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error
      await sleep(50)
    }
  }
}
