import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { runToEnd, type Cluster } from './cluster.ts'
import type { DatabaseLog } from './log.ts'

/** No system has so high a process id, so nobody is ever found under it. */
const nobodysPid = 2 ** 31 - 1

/**
 * Stops a server that outlived its program, so that the next one can start. The caller holds the program's lock, so
 * a server on this directory belongs to nobody alive. PostgreSQL itself refuses to start over a note whose process id
 * anybody has, so a note of a dead server is corrected first: ids are used again (a restarted container has the
 * same few), and the dead may never be collected. Throws when the server does not go.
 */
export async function stopLeftover(cluster: Cluster, log: DatabaseLog): Promise<void> {
  const notePath = join(cluster.directory, 'postmaster.pid')
  if (!existsSync(notePath)) return
  // Its lines: process id, directory, start, port, directory of the socket, address, shared memory, state.
  const [first = '', ...rest] = readFileSync(notePath, 'utf8').split('\n')
  const pid = Number(first)
  if (!Number.isInteger(pid) || pid <= 0) {
    // Cut short when the machine lost power.
    rmSync(notePath)
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
  const verdict = isAlive(pid) ? whoIs(pid, cluster.directory, rest[3] ?? '') : 'something else'
  if (verdict === 'ours') {
    log.warn({ pid }, 'stopping a database server that outlived its program')
    // First as at any stop; then at once, which costs the next start a recovery and no data.
    const ended = (await endsAfter(pid, 'SIGINT', 15_000)) || (await endsAfter(pid, 'SIGQUIT', 10_000))
    if (!ended) throw leftAlive(cluster, pid)
  }
  // It takes its note with it, unless it was killed; that may have been while we asked.
  if (!existsSync(notePath)) return
  // Not removed: by the line of the shared memory PostgreSQL finds workers that have outlived their server.
  writeFileSync(notePath, [nobodysPid, ...rest].join('\n'))
}

function leftAlive(cluster: Cluster, pid: number): Error {
  return new Error(
    `${cluster.directory} is still used by a database server left over (process ${pid}) that does not stop; ` +
      `end it with: kill -QUIT ${pid}`,
  )
}

type Verdict = 'ours' | 'something else'

function whoIs(pid: number, directory: string, socketDirectory: string): Verdict {
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  const command = commandOf(pid) ?? stdout
  if (!/(^|\/)postgres( |:|$)/.test(command)) return 'something else'
  // The name of the socket's directory is random, so it proves the server; the directory itself proves it too.
  const marks = [socketDirectory, directory].filter((mark) => mark.length > 5)
  if (marks.some((mark) => command.includes(mark))) return 'ours'
  switch (standsIn(pid, directory)) {
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

/** A server's working directory is its data. Not every system tells, nor everybody. */
function standsIn(pid: number, directory: string): 'yes' | 'no' | 'unknown' {
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
  const deadline = Date.now() + withinMs
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false
    await sleep(20)
  }
  return true
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Forbidden means that it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  return !isZombie(pid)
}

/** Dead, but not yet collected by whoever inherited it, which in a container may be never. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
