import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { serverUser } from '#database/server/os-user.ts'
import { clientConfig } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { startProcess } from '../../verification/processes/child.ts'
import type { Child } from '../../verification/processes/child.ts'
import { fastFolder } from '../../verification/processes/fast-folder.ts'
import { freePort } from '#database/free-port.ts'
import type { Programs } from '../debian-programs.ts'
import { asUser } from '../os-user.ts'

/** A PostgreSQL whose write-ahead log pgBackRest archives; docs/operating/point-in-time.md has the same settings. */
export interface ArchivedServer {
  connection: ConnectionSettings
  /** Waits until the server accepts writes. */
  start(): Promise<void>
  /** With everything archived. */
  stop(): Promise<void>
  backup(): Promise<void>
  /** Replaces the files of the stopped server by those of this time. */
  restore(target: string): Promise<void>
  /** Stops it and removes all files. */
  close(): Promise<void>
}

const READY_TIMEOUT_MS = 60_000

/** Creates the server and its repository; nothing runs yet. */
export async function createArchivedServer(programs: Programs): Promise<ArchivedServer> {
  const user = serverUser('')
  const folder = mkdtempSync(join(fastFolder(), 'bundle-console-pgbackrest-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const own = (path: string): string => {
    if (user !== undefined) chownSync(path, user.uid, user.gid)
    return path
  }
  own(folder)
  const [data, repository, logs, locks] = ['data', 'repository', 'logs', 'locks'].map((name) => {
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700 })
    return own(path)
  }) as [string, string, string, string]
  const port = await freePort()
  const settings = join(folder, 'pgbackrest.conf')
  writeFileSync(
    settings,
    [
      '[global]',
      `repo1-path=${repository}`,
      'repo1-retention-full=2',
      `log-path=${logs}`,
      `lock-path=${locks}`,
      'start-fast=y',
      '[main]',
      `pg1-path=${data}`,
      `pg1-port=${port}`,
      `pg1-socket-path=${folder}`,
      'pg1-user=bundle',
      '',
    ].join('\n'),
  )
  own(settings)
  const run = async (program: string, ...args: string[]): Promise<void> => {
    const running = startProcess([...asUser(user), programs.path(program), ...args], programs.env)
    const { code } = await running.exited
    if (code !== 0)
      throw new Error(`${program} ${args.join(' ')} failed: ${running.output().slice(-5).join(' | ')}`)
  }
  const backRest = (...args: string[]): Promise<void> =>
    run('pgbackrest', `--config=${settings}`, '--stanza=main', '--log-level-console=warn', ...args)
  await run('initdb', '-D', data, '-U', 'bundle', '-E', 'UTF8', '--locale=C', '-A', 'trust')
  const archive = `${programs.path('pgbackrest')} --config=${settings} --stanza=main archive-push %p`
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      'max_connections = 150',
      'archive_mode = on',
      `archive_command = '${archive}'`,
      'archive_timeout = 5',
      '',
    ].join('\n'),
  )
  const connection: ConnectionSettings = { host: '127.0.0.1', port, database: 'postgres', user: 'bundle' }
  let child: Child | undefined
  const start = async (): Promise<void> => {
    child = startProcess([...asUser(user), programs.path('postgres'), '-D', data], programs.env)
    const deadline = performance.now() + READY_TIMEOUT_MS
    while (!(await acceptsWrites(connection))) {
      if (!child.isAlive() || performance.now() > deadline)
        throw new Error(`PostgreSQL does not start: ${child.output().slice(-5).join(' | ')}`)
      await sleep(100)
    }
  }
  const stop = async (): Promise<void> => {
    // PostgreSQL's fast shutdown, which archives everything first
    child?.signal('SIGINT')
    await child?.exited
  }
  await start()
  await backRest('stanza-create')
  return {
    connection,
    start,
    stop,
    backup: () => backRest('--type=full', 'backup'),
    restore: (target) =>
      backRest('--delta', '--type=time', `--target=${target}`, '--target-action=promote', 'restore'),
    async close() {
      await stop()
      remove()
      process.off('exit', remove)
    },
  }
}

async function acceptsWrites(connection: ConnectionSettings): Promise<boolean> {
  const client = new pg.Client(clientConfig(connection))
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    return rows[0]?.standby === false
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
