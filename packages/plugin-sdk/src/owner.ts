import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

const HOST = hostname()
const PROCESS = randomUUID()

/** A name for one run of a handler, from which another process can tell whether its process is still alive. */
export const newOwner = (): string => JSON.stringify([HOST, process.pid, PROCESS, randomUUID()])

/**
 * True if the owner's process has certainly ended: a process of this host whose id is unused, or is now ours. A
 * restarted plugin then need not wait for the lease of the crashed one. Across hosts only the lease counts.
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
    // EPERM: a process of another user, which is alive.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
