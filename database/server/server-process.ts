import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { clientConfig, type ConnectionSettings } from '../settings.ts'
import { PG } from '../transaction.ts'
import { serverEnvironment } from './binaries.ts'
import { clusterUser, directoryArgument, lastLines, runToEnd, type Cluster } from './cluster.ts'
import type { DatabaseLog } from './log.ts'
import { parametersFor, type ServerParameters } from './parameters.ts'

/** How a server ended. */
export type ServerExit = {
  code: number | null
  signal: NodeJS.Signals | null
  /** Whether we requested it. */
  expected: boolean
  /** The last lines of its log. */
  output: string
}

export type ServerProcess = {
  connection: ConnectionSettings
  pid: number
  /** Never rejects. */
  exited: Promise<ServerExit>
  /** Closes all connections and stops, gracefully if possible. Rejects if the server does not stop. */
  stop: () => Promise<void>
}

/** Starts the server of a cluster and waits until it accepts connections. Rejects with its output if it does not start. */
export async function startServer(
  cluster: Cluster,
  log: DatabaseLog,
  extra: ServerParameters = {},
): Promise<ServerProcess> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const server = launch(cluster, log, extra)
    if (await acceptsConnections(server, log)) return server
    const { output } = await server.exited
    // The workers of a killed server hold its memory until they notice.
    if (!output.includes('pre-existing shared memory block') || performance.now() > deadline) {
      throw new Error(`The database in ${cluster.directory} does not start: ${lastLines(output)}`)
    }
    await sleep(200)
  }
}

function launch(cluster: Cluster, log: DatabaseLog, extra: ServerParameters): ServerProcess {
  const { tcp, runDirectory } = cluster
  const command = [
    ...boundToUs(),
    cluster.binaries.postgres,
    '-D',
    directoryArgument(cluster),
    ...Object.entries(parametersFor(cluster, extra)).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const [program = '', ...options] = command
  const child = spawn(program, options, {
    cwd: cluster.directory,
    env: serverEnvironment(),
    // Its own process group: Ctrl+C goes to our program, which stops the server after its own work.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...cluster.user,
  })
  // The server must not keep our process alive.
  child.unref()
  const stopOnExit = () => child.kill('SIGINT')
  process.once('exit', stopOnExit)
  let expected = false
  const exited = watch(child, log, () => expected)
  void exited.then(() => process.off('exit', stopOnExit))
  const stop = async () => {
    expected = true
    child.ref()
    await stopProcess(child, cluster, exited)
  }
  let stopping: Promise<void> | undefined
  return {
    connection: {
      host: tcp ? '127.0.0.1' : runDirectory,
      port: tcp?.port ?? 5432,
      database: 'postgres',
      user: clusterUser,
      ...(tcp && { password: tcp.password }),
    },
    pid: child.pid ?? 0,
    exited,
    stop: () => (stopping ??= stop()),
  }
}

/**
 * On Linux the kernel stops the server (SIGINT: gracefully) when we die, however we die. Set after the change of user,
 * which would clear it, and therefore in the server's own process. It is tied to the thread that starts the server, so
 * that must be the main one. On other systems the next start stops the leftover server.
 */
function boundToUs(): string[] {
  if (process.platform !== 'linux') return []
  const program = 'setpriv'
  const options = ['--pdeathsig', 'INT', '--']
  return spawnSync(program, [...options, 'true']).status === 0 ? [program, ...options] : []
}

function watch(child: ChildProcess, log: DatabaseLog, wasExpected: () => boolean): Promise<ServerExit> {
  const lines: string[] = []
  let rest = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    const parts = (rest + part).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      lines.push(line)
      if (lines.length > 40) lines.shift()
      // Responses to our own connection attempts.
      if (line.startsWith('FATAL:  the database system is ')) continue
      // what a stop does to the connections that are left
      const isOfStop = wasExpected() && line.startsWith('FATAL:  terminating ')
      const serious = !isOfStop && /^(FATAL|PANIC|WARNING|ERROR):/.test(line)
      log[serious ? 'warn' : 'info']({}, `database: ${line}`)
    }
  })
  // A child's pipe is a socket, which a plain readable stream does not know.
  if (child.stderr && 'unref' in child.stderr && typeof child.stderr.unref === 'function')
    child.stderr.unref()
  return new Promise((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) =>
      resolve({ code, signal, expected: wasExpected(), output: lines.join('\n') })
    child.once('error', (error) => {
      lines.push(error.message)
      end(null, null)
    })
    // Not "close": workers of a killed server keep the pipe open for a moment.
    child.once('exit', (code, signal) => setTimeout(end, 50, code, signal))
  })
}

async function acceptsConnections(server: ServerProcess, log: DatabaseLog): Promise<boolean> {
  const gone = new AbortController()
  void server.exited.then(() => gone.abort())
  const since = performance.now()
  for (let round = 0; !gone.signal.aborted; round++) {
    const client = new pg.Client({ ...clientConfig(server.connection), connectionTimeoutMillis: 2000 })
    // Lost while closing: nothing to do.
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch (error) {
      if (isRefusal(error)) {
        await server.stop()
        throw new Error(`The database server is running, but rejects our connection: ${error.message}`, {
          cause: error,
        })
      }
      await sleep(15)
    }
    // Crash recovery may take long, and giving up would only restart it.
    if (round > 0 && round % 300 === 0) {
      log.info({ waitedMs: Math.round(performance.now() - since) }, 'the database is still starting')
    }
  }
  return false
}

/** A response of the server other than "not yet". Retrying would change nothing. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code !== PG.cannotConnectNow
}

async function stopProcess(
  child: ChildProcess,
  cluster: Cluster,
  exited: Promise<ServerExit>,
): Promise<void> {
  const within = async (ms: number) =>
    Promise.race([exited.then(() => true), sleep(ms, false, { ref: false })])
  if (process.platform === 'win32') {
    // Windows has no signals: this is how the server is stopped there.
    await runToEnd(
      cluster.binaries.pgCtl,
      ['stop', '-D', cluster.directory, '-m', 'fast', '-w'],
      cluster.directory,
    )
  } else child.kill('SIGINT')
  if (await within(20_000)) return
  child.kill('SIGQUIT')
  if (await within(10_000)) return
  throw new Error(`the database server (process ${child.pid}) does not stop`)
}
