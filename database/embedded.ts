import { join, resolve } from 'node:path'

import pg from 'pg'

import { makeDataDirectory } from './data-directory.ts'
import { freePort } from './free-port.ts'
import { quoteName } from './names.ts'
import { findBinaries } from './server/binaries.ts'
import { clusterPassword, ensureCluster, type Cluster } from './server/cluster.ts'
import { stopLeftover } from './server/leftover.ts'
import type { DatabaseLog } from './server/log.ts'
import { serverUser } from './server/os-user.ts'
import { makeRunDirectory, needsTcp, removeRunDirectory } from './server/place.ts'
import { acquireProgramLock, type ProgramLock } from './server/program-lock.ts'
import { startServer, type ServerExit } from './server/server-process.ts'
import { clientConfig, type ConnectionSettings } from './settings.ts'
import { isPgError, PG } from './transaction.ts'

export type { DatabaseLog } from './server/log.ts'
export type { ServerExit } from './server/server-process.ts'

export type EmbeddedOptions = {
  /** Created with mode 0700 if missing; the cluster is its `postgresql`. */
  dataDir: string
  log: DatabaseLog
  /** Default `socket`; always `tcp` (loopback with a generated password) on systems without Unix sockets (Windows). */
  transport?: 'socket' | 'tcp'
  /** For development only: it does not wait for the disk, so a crash of the machine can damage it. */
  isDisposable?: boolean | undefined
}

export type EmbeddedDatabase = {
  /** Connects to the database `postgres`; see {@link createDatabaseIfMissing}. */
  connection: ConnectionSettings
  /** The server's process id. */
  readonly pid: number
  /** Resolves when the server ends, never rejects; `expected` is false if nobody called `stop`. */
  readonly exited: Promise<ServerExit>
  /** Starts the server again at the same location after it has ended. Rejects like `startEmbedded`. */
  resume: () => Promise<void>
  /** Closes all connections, stops the server and releases the directory; idempotent. */
  stop: () => Promise<void>
}

/**
 * Starts the program's own PostgreSQL on a directory that no other program may use at the same time. Must be called
 * from the main thread. Throws one line that says what to do if the directory is in use, foreign, damaged or of another
 * major version, or if PostgreSQL cannot run here. A server left over from a killed program is stopped first.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir)
  makeDataDirectory(dataDir, options.log)
  const lock = acquireProgramLock(dataDir)
  removeRunDirectory(lock.crashed?.runDirectory)
  let runDirectory: string | undefined
  try {
    const directory = join(dataDir, 'postgresql')
    const user = serverUser(directory)
    const binaries = findBinaries(user)
    runDirectory = makeRunDirectory(user)
    const cluster: Cluster = { directory, runDirectory, binaries, user, disposable: options.isDisposable }
    if (needsTcp || options.transport === 'tcp') {
      cluster.tcp = { port: await freePort(), password: clusterPassword(directory) }
    }
    return await startOn(cluster, lock, options.log)
  } catch (error) {
    removeRunDirectory(runDirectory)
    lock.release()
    throw error
  }
}

async function startOn(cluster: Cluster, lock: ProgramLock, log: DatabaseLog): Promise<EmbeddedDatabase> {
  const state = await ensureCluster(cluster)
  if (state === 'found') await stopLeftover(cluster, log)
  lock.noteRunDirectory(cluster.runDirectory)
  let server = await startServer(cluster, log)
  let resuming: Promise<void> = Promise.resolve()
  const resume = async () => {
    server = await startServer(cluster, log)
  }
  const stop = async () => {
    await resuming
    await server.stop()
    removeRunDirectory(cluster.runDirectory)
    // Last: the next holder of the lock must not find a running server.
    lock.release()
  }
  let stopping: Promise<void> | undefined
  return {
    connection: server.connection,
    get pid() {
      return server.pid
    },
    get exited() {
      return server.exited
    },
    resume: () => {
      if (stopping !== undefined) return Promise.reject(new Error('The database is being stopped'))
      const resumed = resume()
      resuming = resumed.catch(() => undefined)
      return resumed
    },
    stop: () => (stopping ??= stop()),
  }
}

/**
 * Creates a database on the server of `connection` unless it exists, and returns the connection to it. Safe to call
 * concurrently. Throws on a name that is not lower-case letters, digits and `_`.
 */
export async function createDatabaseIfMissing(
  connection: ConnectionSettings,
  name: string,
): Promise<ConnectionSettings> {
  const client = new pg.Client({ ...clientConfig(connection), connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const found = await client.query('select from pg_database where datname = $1', [name])
    if (found.rowCount === 0) await client.query(`create database ${quoteName(name)}`)
  } catch (error) {
    const another = isPgError(error, PG.duplicateDatabase) || isPgError(error, PG.uniqueViolation)
    if (!another) throw error
  } finally {
    await client.end()
  }
  return { ...connection, database: name }
}
