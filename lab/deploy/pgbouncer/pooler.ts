import { spawnSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { serverUser } from '#database/server/os-user.ts'
import { makeRunDirectory, removeRunDirectory } from '#database/server/place.ts'
import { clientConfig, toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { startProcess } from '../../verification/processes/child.ts'
import type { Child } from '../../verification/processes/child.ts'
import type { Programs } from '../debian-programs.ts'
import { asUser } from '../os-user.ts'

export const MODES = ['session', 'transaction'] as const
export type PoolMode = (typeof MODES)[number]

/** A PgBouncer in front of one database, on a separate Unix socket. */
export interface Pooler {
  url: string
  /** SIGKILL; starts again after `downMs`. */
  crash(downMs: number): Promise<void>
  /** Stops it and removes its files. */
  stop(): Promise<void>
}

export interface PoolerOptions {
  programs: Programs
  database: ConnectionSettings
  mode: PoolMode
}

/** The session settings that PgBouncer does not pass on to the server; docs/operating/postgresql.md lists them. */
const IGNORED = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options'
const READY_TIMEOUT_MS = 10_000
const FIRST_WITH_PREPARED_STATEMENTS = '1.21'

/** The version of PgBouncer, such as `1.18.0`. */
export function poolerVersion({ path, env }: Programs): string {
  const { stdout } = spawnSync(path('pgbouncer'), ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return /PgBouncer (\S+)/.exec(stdout)?.[1] ?? 'unknown'
}

/** Whether this version supports named prepared statements in transaction mode. */
const supportsPreparedStatements = (version: string): boolean =>
  version.localeCompare(FIRST_WITH_PREPARED_STATEMENTS, 'en', { numeric: true }) >= 0

export async function startPooler({ programs, database, mode }: PoolerOptions): Promise<Pooler> {
  const user = serverUser('')
  const folder = makeRunDirectory(user, 'test')
  const remove = () => removeRunDirectory(folder)
  process.once('exit', remove)
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    if (user !== undefined) chownSync(path, user.uid, user.gid)
    return path
  }
  const users = file('users.txt', `"${database.user}" ""\n`)
  const settings = file('pgbouncer.ini', settingsOf({ folder, users, database, mode, programs }))
  const connection: ConnectionSettings = { ...database, host: folder, port: 6432 }
  const command = [...asUser(user), programs.path('pgbouncer'), settings]
  const start = async (): Promise<Child> => {
    const started = startProcess(command, programs.env)
    await waitUntilReady(connection, started)
    return started
  }
  let child = await start()
  const kill = async (): Promise<void> => {
    child.signal('SIGKILL')
    await child.exited
  }
  return {
    url: toUrl(connection),
    async crash(downMs) {
      await kill()
      await sleep(downMs)
      child = await start()
    },
    async stop() {
      await kill()
      remove()
      process.off('exit', remove)
    },
  }
}

function settingsOf(options: PoolerOptions & { folder: string; users: string }): string {
  const { programs, database, mode, folder, users } = options
  return [
    '[databases]',
    `* = host=${database.host} port=${database.port}`,
    '[pgbouncer]',
    'listen_port = 6432',
    `unix_socket_dir = ${folder}`,
    'auth_type = trust',
    `auth_file = ${users}`,
    // this user may connect to PgBouncer's own database
    `stats_users = ${database.user}`,
    `pool_mode = ${mode}`,
    'max_client_conn = 400',
    // fewer than the replicas have connections, so that sessions are shared in transaction mode
    `default_pool_size = ${mode === 'session' ? 100 : 12}`,
    `ignore_startup_parameters = ${IGNORED}`,
    'server_login_retry = 1',
    ...(supportsPreparedStatements(poolerVersion(programs)) ? ['max_prepared_statements = 200'] : []),
    '',
  ].join('\n')
}

async function waitUntilReady(connection: ConnectionSettings, child: Child): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  for (;;) {
    const client = new pg.Client({ ...clientConfig(connection), database: 'pgbouncer' })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return
    } catch (error) {
      // the server itself may be down; PgBouncer's own database shows that PgBouncer runs
      if (child.isAlive() && performance.now() < deadline) await sleep(50)
      else
        throw new Error(`PgBouncer does not start: ${child.output().slice(-3).join(' | ')}`, { cause: error })
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
