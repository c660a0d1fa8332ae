import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** What the holder of a data directory records about itself. Informational only: the lock decides. */
export type Holder = {
  pid: number
  /** RFC 3339 UTC. */
  startedAt: string
  host: string
  /** The directory of the socket; the next holder removes it after a crash. */
  runDirectory?: string
}

export type ProgramLock = {
  /** The previous holder, if it did not release the directory. */
  crashed: Holder | undefined
  noteRunDirectory: (path: string) => void
  release: () => void
}

const LOCK_FILE = 'program.lock'
const NOTE_FILE = 'program.json'

// An unreferenced handle is garbage-collected together with its lock.
const locks = new Set<DatabaseSync>()

/**
 * Takes the exclusive lock of a data directory, or throws one line that names the holder.
 *
 * The lock is the operating system's own on `program.lock`, taken through SQLite, the only part of Node that can
 * request one. No data is stored there. Process ids and heartbeats are worse alternatives: the kernel releases this
 * lock at the moment its holder dies, however it dies, keeps it while the holder is only paused, is not confused by
 * reused process ids, and the lock works between containers that share a volume.
 */
export function acquireProgramLock(dataDir: string): ProgramLock {
  const notePath = join(dataDir, NOTE_FILE)
  const handle = openExclusively(dataDir, notePath)
  locks.add(handle)
  const crashed = readNote(notePath)
  const note: Holder = { pid: process.pid, startedAt: startOfThisProcess(), host: hostname() }
  const write = (holder: Holder) => writeFileSync(notePath, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  write(note)
  return {
    crashed,
    noteRunDirectory: (runDirectory) => write({ ...note, runDirectory }),
    release: () => {
      if (!locks.delete(handle)) return
      rmSync(notePath, { force: true })
      handle.close()
    },
  }
}

/** Throws like {@link acquireProgramLock} if another program holds the directory; acquires and creates nothing. */
export function refuseDirectoryInUse(dataDir: string): void {
  if (!existsSync(join(dataDir, LOCK_FILE))) return
  openExclusively(dataDir, join(dataDir, NOTE_FILE)).close()
}

function openExclusively(dataDir: string, notePath: string): DatabaseSync {
  const path = join(dataDir, LOCK_FILE)
  let handle: DatabaseSync | undefined
  try {
    // The short wait lets one of two simultaneous starts win, instead of neither.
    handle = new DatabaseSync(path, { timeout: 200 })
    chmodSync(path, 0o600)
    handle.exec('begin exclusive')
    return handle
  } catch (error) {
    handle?.close()
    if (sqliteCode(error) === sqliteBusy) throw new DirectoryInUse(dataDir, readNote(notePath))
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `DATA_DIR ${dataDir} cannot be locked (${path}: ${reason}); make it writable or choose another`,
      {
        cause: error,
      },
    )
  }
}

const sqliteBusy = 5

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  return error.errcode & 0xff
}

/** Another program holds the directory. */
export class DirectoryInUse extends Error {
  readonly holder: Holder | undefined

  constructor(dataDir: string, holder: Holder | undefined) {
    const elsewhere = holder && holder.host !== hostname() ? ` on ${holder.host}` : ''
    const who = holder ? `process ${holder.pid}${elsewhere} (started ${holder.startedAt})` : 'another process'
    super(`DATA_DIR ${dataDir} is in use by ${who}; stop it or choose another DATA_DIR`)
    this.holder = holder
  }
}

function readNote(path: string): Holder | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof note !== 'object' || note === null) return undefined
    if (!('pid' in note) || !('startedAt' in note) || !('host' in note)) return undefined
    const { pid, startedAt, host } = note
    if (typeof pid !== 'number' || typeof startedAt !== 'string' || typeof host !== 'string') return undefined
    const runDirectory = 'runDirectory' in note ? note.runDirectory : undefined
    return { pid, startedAt, host, ...(typeof runDirectory === 'string' && { runDirectory }) }
  } catch {
    return undefined
  }
}

function startOfThisProcess(): string {
  return new Date(Date.now() - process.uptime() * 1000).toISOString()
}
