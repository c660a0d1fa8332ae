import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runToEnd } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import type { DatabaseLog } from './log.ts'

/** Larger than any process id on any system, so it never belongs to a process. */
const UNUSED_PID = 2 ** 31 - 1

/**
 * Stops a server that outlived its program, so that the next one can start. The caller holds the program's lock, so a
 * server on this directory has no living owner. PostgreSQL itself refuses to start if its pid file names a process id
 * in use, so the pid file of a dead server is corrected first: ids are reused (a restarted container has the same few),
 * and zombies may never be reaped. Throws if the server does not stop.
 */
export async function stopLeftover(cluster: Cluster, log: DatabaseLog): Promise<void> {
  const pidFile = join(cluster.directory, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  // Its lines: process id, directory, start, port, directory of the socket, address, shared memory, state.
  const [first = '', ...rest] = readFileSync(pidFile, 'utf8').split('\n')
  const pid = Number(first)
  if (!Number.isInteger(pid) || pid <= 0) {
    // Truncated if the machine lost power.
    rmSync(pidFile)
    return
  }
  if (process.platform === 'win32') {
    await runToEnd(
      cluster.binaries.pgCtl,
      ['stop', '-D', cluster.directory, '-m', 'fast', '-w'],
      cluster.directory,
    )
    return
  }
  const verdict = isAlive(pid) ? identify(pid, cluster.directory, rest[3] ?? '') : 'something else'
  if (verdict === 'ours') {
    log.warn({ pid }, 'stopping a database server that outlived its program')
    // First a fast shutdown; then an immediate one, after which the next start must recover but loses no data.
    const ended = (await endsAfter(pid, 'SIGINT', 15_000)) || (await endsAfter(pid, 'SIGQUIT', 10_000))
    if (!ended) throw stillRunning(cluster, pid)
  }
  // The server removes its pid file, unless it was killed.
  if (!existsSync(pidFile)) return
  // Not removed: PostgreSQL uses the shared memory line to find workers that outlived their server.
  writeFileSync(pidFile, [UNUSED_PID, ...rest].join('\n'))
}

function stillRunning(cluster: Cluster, pid: number): Error {
  return new Error(
    `${cluster.directory} is still in use by a leftover database server (process ${pid}) that does not stop; ` +
      `stop it with: kill -QUIT ${pid}`,
  )
}

type Verdict = 'ours' | 'something else'

function identify(pid: number, directory: string, socketDirectory: string): Verdict {
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  const command = commandOf(pid) ?? stdout
  if (!/(^|\/)postgres( |:|$)/.test(command)) return 'something else'
  // The name of the socket directory is random, so it identifies the server; so does the data directory.
  const marks = [socketDirectory, directory].filter((mark) => mark.length > 5)
  if (marks.some((mark) => command.includes(mark))) return 'ours'
  switch (worksIn(pid, directory)) {
    case 'yes':
      return 'ours'
    case 'no':
      return 'something else'
    case 'unknown':
      throw new Error(
        `${directory} may be in use by a PostgreSQL that this program did not start (process ${pid}); ` +
          'stop it or choose another DATA_DIR',
      )
  }
}

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return undefined
  }
}

/** A server's working directory is its data directory. Not every system reports it, nor to every user. */
function worksIn(pid: number, directory: string): 'yes' | 'no' | 'unknown' {
  try {
    const [there, here] = [statSync(`/proc/${pid}/cwd`), statSync(directory)]
    return there.dev === here.dev && there.ino === here.ino ? 'yes' : 'no'
  } catch {
    return 'unknown'
  }
}

async function endsAfter(pid: number, signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
  try {
    process.kill(pid, signal)
  } catch {
    return !isAlive(pid)
  }
  const deadline = performance.now() + withinMs
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false
    await sleep(20)
  }
  return true
}

/** Whether this process runs, also as another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Permission denied means that the process exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  return !isZombie(pid)
}

/** A zombie: dead, but not yet reaped by its parent, which in a container may never happen. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
