import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { runToEnd, type Cluster } from './cluster.ts'
import type { DatabaseLog } from './log.ts'

/**
 * Stops a server that outlived its program, so that the next one can start. The caller holds the program's lock, so
 * a server on this directory belongs to nobody alive. A note whose process id now belongs to something else is
 * removed, since PostgreSQL itself would refuse to start over it (a restarted container has the same few ids again).
 * Throws when the server does not go.
 */
export async function stopLeftover(cluster: Cluster, log: DatabaseLog): Promise<void> {
  const notePath = join(cluster.directory, 'postmaster.pid')
  if (!existsSync(notePath)) return
  // Its lines: process id, directory, start, port, directory of the socket, address, shared memory, state.
  const lines = readFileSync(notePath, 'utf8').split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) {
    // Cut short when the machine lost power. PostgreSQL would ask a person to remove it.
    rmSync(notePath)
    return
  }
  if (!isAlive(pid)) return
  if (process.platform === 'win32') {
    await runToEnd(
      cluster.binaries.pgCtl,
      ['stop', '-D', cluster.directory, '-m', 'fast', '-w'],
      cluster.directory,
    )
    return
  }
  const verdict = whoIs(pid, cluster.directory, lines[4] ?? '')
  if (verdict === 'something else') {
    log.warn({ pid }, 'removed the note of a database server that is gone; its process id has a new owner')
    rmSync(notePath)
    return
  }
  if (verdict === 'another server') return
  log.warn({ pid }, 'stopping a database server that outlived its program')
  // First as at any stop; then at once, which costs the next start a recovery and no data.
  if (await endsAfter(pid, 'SIGINT', 15_000)) return
  if (await endsAfter(pid, 'SIGQUIT', 10_000)) return
  throw new Error(
    `${cluster.directory} is still used by a database server left over (process ${pid}) that does not stop; ` +
      `end it with: kill -QUIT ${pid}`,
  )
}

type Verdict = 'ours' | 'another server' | 'something else'

function whoIs(pid: number, directory: string, socketDirectory: string): Verdict {
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  const command = commandOf(pid) ?? stdout
  if (!command.includes('postgres')) return 'something else'
  // The name of the socket's directory is random, so it proves the server; the directory itself proves it too.
  const marks = [socketDirectory, directory].filter((mark) => mark.length > 5)
  if (marks.some((mark) => command.includes(mark)) || standsIn(pid, directory)) return 'ours'
  return 'another server'
}

function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return undefined
  }
}

function standsIn(pid: number, directory: string): boolean {
  try {
    const [there, here] = [statSync(`/proc/${pid}/cwd`), statSync(directory)]
    return there.dev === here.dev && there.ino === here.ino
  } catch {
    return false
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
