import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { isAlive } from './leftover.ts'
import { giveDirectory, type OsUser } from './os-user.ts'

const prefix = 'bundle-console-'

/** A short path, because a socket's path is limited to about 100 characters, and one that the server's user can access. */
export function makeRunDirectory(user: OsUser | undefined, kind: 'run' | 'test' = 'run'): string {
  const usual = tmpdir()
  return makeDirectoryIn((user || usual.length > 60) && existsSync('/tmp') ? '/tmp' : usual, user, kind)
}

/** In the machine's shared memory where that has room for the databases of a test run, else like {@link makeRunDirectory}. */
export function makeTestDirectory(user: OsUser | undefined): string {
  return hasSharedMemory() ? makeDirectoryIn(SHARED_MEMORY, user, 'test') : makeRunDirectory(user, 'test')
}

function makeDirectoryIn(base: string, user: OsUser | undefined, kind: 'run' | 'test'): string {
  const path = mkdtempSync(join(base, `${prefix}${kind}-${process.pid}-`))
  giveDirectory(path, user)
  return path
}

const SHARED_MEMORY = '/dev/shm'

/** Containers often have 64 MB. */
const ROOM_BYTES = 4 * 2 ** 30

function hasSharedMemory(): boolean {
  if (!existsSync(SHARED_MEMORY)) return false
  const { bavail, bsize } = statfsSync(SHARED_MEMORY)
  return bavail * bsize >= ROOM_BYTES
}

/** The directories of kind `test` below `parent` whose process has ended. */
export function abandonedDirectoriesIn(parent: string): string[] {
  const names = readdirSync(parent).filter((name) => name.startsWith(`${prefix}test-`))
  return names.filter((name) => !isAlive(Number(name.split('-').at(-2)))).map((name) => join(parent, name))
}

/** Removes a directory of {@link makeRunDirectory}, and nothing else. */
export function removeRunDirectory(path: string | undefined): void {
  if (!path || !basename(path).startsWith(prefix)) return
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

/** On systems without Unix sockets the server listens on loopback. */
export const needsTcp = process.platform === 'win32'
