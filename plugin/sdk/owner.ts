import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

const HOST = hostname()
const PROCESS = randomUUID()

/** A name for one run of a handler, from which another process can tell whether its process still lives. */
export const newOwner = (): string => JSON.stringify([HOST, process.pid, PROCESS, randomUUID()])

/**
 * True when the owner's process is surely gone: a process of this host whose number is free, or has become ours. A
 * restarted plugin then need not wait for the lease of the one that crashed. On another host only the lease tells.
 */
export function isOwnerGone(owner: string): boolean {
  const [host, pid, processId] = JSON.parse(owner) as [string, number, string]
  if (host !== HOST || processId === PROCESS) return false
  return pid === process.pid || !isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: somebody else's process, which lives.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
