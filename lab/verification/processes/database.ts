import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#database/free-port.ts'
import { findBinaries } from '#database/server/binaries.ts'
import { clusterPassword, ensureCluster } from '#database/server/cluster.ts'
import type { Cluster } from '#database/server/cluster.ts'
import { serverUser } from '#database/server/os-user.ts'
import { makeRunDirectory, needsTcp, removeRunDirectory } from '#database/server/place.ts'
import { startServer } from '#database/server/server-process.ts'
import { toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'

/** A separate PostgreSQL for a suite, with durable writes as in production, that can crash. */
export interface OwnDatabase {
  connection: ConnectionSettings
  url: string
  /** Where its files are. */
  directory: string
  /** Stops immediately, without flushing anything; starts again after `downMs` and recovers. */
  crash(downMs: number): Promise<void>
  /** Stops it and removes its files. */
  stop(): Promise<void>
}

const silent = { info: () => {}, warn: () => {}, error: () => {} }

export async function startOwnDatabase(): Promise<OwnDatabase> {
  const user = serverUser('')
  const root = makeRunDirectory(user, 'test')
  const remove = () => removeRunDirectory(root)
  process.once('exit', remove)
  const directory = join(root, 'postgresql')
  const cluster: Cluster = { directory, runDirectory: root, binaries: findBinaries(user), user }
  if (needsTcp) cluster.tcp = { port: await freePort(), password: clusterPassword(directory) }
  const start = () => startServer(cluster, silent, { max_connections: 200 })
  try {
    await ensureCluster(cluster)
    let server = await start()
    return {
      connection: server.connection,
      url: toUrl(server.connection),
      directory,
      async crash(downMs) {
        // PostgreSQL's immediate shutdown: like a crash, except that it ends its child processes
        process.kill(server.pid, 'SIGQUIT')
        await server.exited
        await sleep(downMs)
        server = await start()
      },
      async stop() {
        await server.stop()
        remove()
        process.off('exit', remove)
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}
