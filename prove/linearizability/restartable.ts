import { join } from 'node:path'
import { findBinaries } from '#database/server/binaries.ts'
import { ensureCluster } from '#database/server/cluster.ts'
import type { Cluster } from '#database/server/cluster.ts'
import { serverUser } from '#database/server/os-user.ts'
import { makeRunDirectory, removeRunDirectory } from '#database/server/place.ts'
import { startServer } from '#database/server/server-process.ts'
import { toUrl } from '#database/settings.ts'

export interface Restartable {
  /** Of its maintenance database. */
  url: string
  /** Stops it in whatever it does and starts it again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A PostgreSQL of our own that keeps what it acknowledged when it is stopped; only a loss of power would be too much. */
export async function startRestartable(): Promise<Restartable> {
  const user = serverUser('')
  const root = makeRunDirectory(user, 'test')
  const cluster: Cluster = {
    directory: join(root, 'postgresql'),
    runDirectory: root,
    binaries: findBinaries(user),
    user,
    disposable: true,
  }
  await ensureCluster(cluster)
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const start = () => startServer(cluster, silent, { fsync: 'off', max_connections: 200 })
  let server = await start()
  return {
    url: toUrl(server.connection),
    async restart() {
      // SIGQUIT: without a word to anybody, so that it must recover from its log
      process.kill(server.pid, 'SIGQUIT')
      await server.exited
      server = await start()
    },
    async stop() {
      await server.stop()
      removeRunDirectory(root)
    },
  }
}
