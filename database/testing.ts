import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import pg from 'pg'

import { freePort } from './free-port.ts'
import { migrate, readMigrations, type MigrationSource } from './migrate.ts'
import { quoteName } from './names.ts'
import { openDatabase } from './pool.ts'
import { binariesIn, findBinaries } from './server/binaries.ts'
import { clusterPassword, ensureCluster, type Cluster } from './server/cluster.ts'
import type { DatabaseLog } from './server/log.ts'
import { serverUser } from './server/os-user.ts'
import {
  abandonedDirectoriesIn,
  makeRunDirectory,
  makeTestDirectory,
  needsTcp,
  removeRunDirectory,
} from './server/place.ts'
import type { ServerParameters } from './server/parameters.ts'
import { startServer } from './server/server-process.ts'
import { clientConfig, fromUrl, toUrl, type ConnectionSettings } from './settings.ts'

export type TestDatabase = {
  connection: ConnectionSettings
  /** Drops the database, even if clients are connected; idempotent. */
  close: () => Promise<void>
}

export type TestServer = {
  /** For `TEST_DATABASE_URL`. */
  url: string
  /** Stops the server gracefully, or kills it, and restarts it at the same location with its data. */
  restart: (how?: 'in order' | 'killed') => Promise<void>
  /** Stops the server and leaves its data to `restart`. */
  pause: () => Promise<void>
  /** Stops the server and removes all of it; idempotent. */
  stop: () => Promise<void>
}

export type TestServerOptions = {
  /** The programs of another PostgreSQL, see {@link installedPostgres}; default: the embedded one. */
  binDirectory?: string
  /** Additional server settings, such as those for TLS. */
  parameters?: ServerParameters
  /** On loopback instead of a Unix socket. */
  transport?: 'socket' | 'tcp'
  /** In shared memory where the machine has enough, because a copy of a template takes a quarter of the time there. */
  inMemory?: boolean
}

export type TestDatabaseOptions = {
  /** Applied in this order. */
  migrations: MigrationSource[]
  /** The URL of another server, see {@link startTestServer}. */
  server?: string
}

/**
 * A fresh database for one test file, with these migrations applied. Takes about 30 ms, because it copies a template
 * that is migrated once per server and content of the migrations. Uses the server of `TEST_DATABASE_URL`, else one of
 * this process, which is started on first use and stopped when the process has nothing left to do.
 */
export async function testDatabase({ migrations, server: url }: TestDatabaseOptions): Promise<TestDatabase> {
  const server = url === undefined ? await testServer() : fromUrl(url)
  const template = await ensureTemplate(server, migrations)
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`
  await onServer(server, (client) =>
    client.query(`create database ${quoteName(name)} template ${quoteName(template)} strategy file_copy`),
  )
  const drop = () =>
    onServer(server, (client) => client.query(`drop database if exists ${quoteName(name)} with (force)`))
  let closing: Promise<unknown> | undefined
  return {
    connection: { ...server, database: name },
    close: async () => {
      await (closing ??= drop())
    },
  }
}

let ownServer: Promise<TestServer> | undefined

async function testServer(): Promise<ConnectionSettings> {
  const shared = process.env['TEST_DATABASE_URL']
  if (shared) return fromUrl(shared)
  ownServer ??= startTestServer({ inMemory: true }).then((server) => {
    process.once('beforeExit', () => void server.stop())
    return server
  })
  return fromUrl((await ownServer).url)
}

/**
 * Created under another name and renamed when complete, so an existing template is complete. The lock keeps the other
 * processes of a test run from doing the same work.
 */
async function ensureTemplate(server: ConnectionSettings, sources: MigrationSource[]): Promise<string> {
  const hash = createHash('sha256')
  for (const { schema, folder } of sources) {
    const migrations = await readMigrations(folder)
    hash.update(JSON.stringify([schema, migrations.map(({ name, sql }) => [name, sql])]))
  }
  const name = `template_${hash.digest('hex').slice(0, 24)}`
  await onServer(server, async (client) => {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
    const found = await client.query('select from pg_database where datname = $1', [name])
    if (found.rowCount !== 0) return
    const unfinished = `${name}_unfinished`
    await client.query(`drop database if exists ${quoteName(unfinished)} with (force)`)
    await client.query(`create database ${quoteName(unfinished)}`)
    const { pool, close } = openDatabase({ ...server, database: unfinished })
    for (const source of sources) await migrate(pool, source).catch(closeAndThrow(close))
    await close()
    await client.query(`alter database ${quoteName(unfinished)} rename to ${quoteName(name)}`)
  })
  return name
}

const closeAndThrow = (close: () => Promise<void>) => async (error: unknown) => {
  await close()
  throw error
}

async function onServer<Result>(
  server: ConnectionSettings,
  fn: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...clientConfig(server), connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await fn(client)
  } finally {
    await client.end()
  }
}

const silent: DatabaseLog = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * One server for a whole test run: a private PostgreSQL on a new directory, without durability, because a crashed test
 * run is not continued. Stops with this process, however the process ends.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const user = serverUser('')
  const root = options.inMemory ? makeTestDirectory(user) : makeRunDirectory(user, 'test')
  removeAbandoned(dirname(root))
  const directory = join(root, 'postgresql')
  const { binDirectory } = options
  const binaries = binDirectory ? binariesIn(binDirectory, user) : findBinaries(user)
  const cluster: Cluster = { directory, runDirectory: root, binaries, user, disposable: true }
  if (needsTcp || options.transport === 'tcp')
    cluster.tcp = { port: await freePort(), password: clusterPassword(directory) }
  const remove = () => removeRunDirectory(root)
  process.once('exit', remove)
  try {
    await ensureCluster(cluster)
    const parameters = { max_connections: 400, ...options.parameters }
    let server = await startServer(cluster, silent, parameters)
    const pause = () => server.stop()
    const restart = async (how = 'in order') => {
      if (how === 'killed') {
        process.kill(server.pid, 'SIGKILL')
        await server.exited
      } else await pause()
      server = await startServer(cluster, silent, parameters)
    }
    const stop = async () => {
      await server.stop()
      remove()
      process.off('exit', remove)
    }
    let stopping: Promise<void> | undefined
    return { url: toUrl(server.connection), restart, pause, stop: () => (stopping ??= stop()) }
  } catch (error) {
    remove()
    throw error
  }
}

/** Removes what killed test runs left behind, so that they do not fill the disk. A running server has its pid file. */
function removeAbandoned(parent: string): void {
  const old = Date.now() - 10 * 60_000
  for (const path of abandonedDirectoriesIn(parent)) {
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    const isServed = existsSync(join(path, 'postgresql', 'postmaster.pid'))
    if (written < old && !isServed) removeRunDirectory(path)
  }
}

/** A program of every PostgreSQL installation that locates the others. */
const pgConfig = 'pg_config'

/** The directory of the machine's own PostgreSQL, to test another version; undefined if there is none. */
export function installedPostgres(): string | undefined {
  const { status, stdout } = spawnSync(pgConfig, ['--bindir'], { encoding: 'utf8' })
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const directories = [
    ...(status === 0 ? [stdout.trim()] : []),
    ...versions.map((name) => join(debian, name, 'bin')),
  ]
  return directories.find((directory) => existsSync(join(directory, 'initdb')))
}
