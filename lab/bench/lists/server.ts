import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '#database/pool.ts'
import { migrate } from '#database/migrate.ts'
import { findBinaries } from '#database/server/binaries.ts'
import { ensureCluster } from '#database/server/cluster.ts'
import type { Cluster } from '#database/server/cluster.ts'
import { serverUser } from '#database/server/os-user.ts'
import { makeRunDirectory, removeRunDirectory } from '#database/server/place.ts'
import { startServer } from '#database/server/server-process.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { rollUpOperations } from '#runtime/store/overview/aggregate-counts.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { fill } from './fill.ts'
import type { Amount } from './fill.ts'

export interface FilledServer {
  connection: ConnectionSettings
  /** Contains the data keys of this database. */
  dataDir: string
  stop(): Promise<void>
}

/** Starts PostgreSQL with this many rows. The data is created once and reused from `.cache`, because that takes minutes. */
export async function startFilled(amount: Amount): Promise<FilledServer> {
  const cacheDirectory = join(
    import.meta.dirname,
    '../../../.cache/bench-lists',
    [amount.installations, amount.operations, amount.attempts ?? 0, amount.failed ?? 0]
      .filter((count) => count > 0)
      .join('-'),
  )
  mkdirSync(cacheDirectory, { recursive: true })
  const directory = join(cacheDirectory, 'postgresql')
  const user = serverUser(directory)
  const runDirectory = makeRunDirectory(user)
  const cluster: Cluster = { directory, runDirectory, binaries: findBinaries(user), user, disposable: true }
  const isExisting = existsSync(directory)
  await ensureCluster(cluster)
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const settings = {
    shared_buffers: '2GB',
    effective_cache_size: '8GB',
    max_wal_size: '4GB',
    // an index is built without a log of it
    wal_level: 'minimal',
    max_wal_senders: 0,
  }
  const server = await startServer(cluster, silent, settings)
  const { db, pool, close } = openDatabase<RuntimeTables>(server.connection, {
    statementTimeoutMs: 3_600_000,
  })
  const started = performance.now()
  await migrate(pool, RUNTIME_MIGRATIONS)
  const { total } = await db
    .selectFrom('runtime.installation')
    .select((row) => row.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  // not of operations, of which retention removes some
  if (total < amount.installations) {
    await fill(db, amount)
    console.log(`filled in ${Math.round((performance.now() - started) / 1000)} s: ${directory}`)
  } else if (isExisting) console.log(`already filled: ${directory}`)
  while (await rollUpOperations(db));
  await close()
  return {
    connection: server.connection,
    dataDir: join(cacheDirectory, 'keys'),
    async stop() {
      await server.stop()
      removeRunDirectory(runDirectory)
    },
  }
}
