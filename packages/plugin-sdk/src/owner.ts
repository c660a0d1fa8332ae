import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

const HOST = hostname()
const PROCESS = randomUUID()
/** Where a process id means one process; null if that is not known. */
const PROCESS_IDS = placeOfProcessIds()

/** A name for one run of a handler, from which another process can tell whether its process is still alive. */
export const newOwner = (): string => JSON.stringify([HOST, process.pid, PROCESS, randomUUID(), PROCESS_IDS])

/**
 * True if the owner's process has certainly ended: a process of this host whose id is unused, or is now ours. A
 * restarted plugin then need not wait for the lease of the crashed one. Across hosts only the lease counts, and across
 * containers: two of them can have one host name, and each has its own process 1.
 */
export function isOwnerGone(owner: string): boolean {
  const [host, pid, processId, , processIds] = JSON.parse(owner) as [
    string,
    number,
    string,
    string,
    // an owner of an earlier version has none
    (string | null)?,
  ]
  if (host !== HOST || processId === PROCESS) return false
  if (PROCESS_IDS === null || processIds !== PROCESS_IDS) return false
  return pid === process.pid || !isAlive(pid)
}

function placeOfProcessIds(): string | null {
  // other systems have one namespace of process ids
  if (process.platform !== 'linux') return process.platform
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
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
