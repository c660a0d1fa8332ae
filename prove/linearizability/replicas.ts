import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#database/pool.ts'
import { fromUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { isUnavailable } from '#database/unreachable.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import type { RuntimeTables } from '#runtime/store/tables.ts'
import type { Db } from '#runtime/world.ts'
import { startHttpRuntime } from '../http-runtime.ts'
import type { Envelope, Request } from '../http-runtime.ts'
import { lossyLink } from './lossy-link.ts'
import type { Fate, LossyLink } from './lossy-link.ts'

/** Two runtimes on one PostgreSQL, which one of them reaches over a line that breaks. */
export interface Replicas {
  /** Asks one of them; null where it could not say what became of it. */
  ask(replica: number, request: Request): Promise<Envelope | null>
  count: number
  link: LossyLink
  /** Reads from the database itself, over a line that holds; again where it was restarted meanwhile. */
  look<Result>(read: (db: Db) => Promise<Result>): Promise<Result>
  /** Ends a connection of theirs on the side of the database. */
  terminateOne(): Promise<void>
  close(): Promise<void>
}

export async function startReplicas(options: { databaseUrl: string; fateOf: () => Fate }): Promise<Replicas> {
  const server = options.databaseUrl
  const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server })
  const link = await lossyLink({ ...fromUrl(server), database: database.connection.database }, options.fateOf)
  const straight = openDatabase<RuntimeTables>(database.connection, { max: 6 })
  const settings = {
    worker: { leaseMs: 600, pollMs: 50, graceMs: 100 },
    connections: { http: 10, worker: 3 },
  }
  // half of them lose commits; all are cut off on the side of the database
  const lossy = await startHttpRuntime(link.connection, settings)
  const { dataDir } = lossy
  const runtimes = [lossy, await startHttpRuntime(database.connection, { ...settings, dataDir })]
  return {
    link,
    look: (read) => outlasting(() => read(straight.db)),
    count: runtimes.length,
    ask(replica, request) {
      const runtime = runtimes[replica]
      if (runtime === undefined) throw new RangeError(`there is no replica ${replica}`)
      return runtime.ask(request)
    },
    async terminateOne() {
      await outlasting(() =>
        straight.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name like 'bundle-runtime%' order by random() limit 1`,
        ),
      )
    },
    async close() {
      await Promise.all(runtimes.map((runtime) => runtime.stop()))
      await link.close()
      await straight.close()
      await database.close()
    },
  }
}

const PATIENCE_MS = 60_000

async function outlasting<Result>(step: () => Promise<Result>): Promise<Result> {
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
