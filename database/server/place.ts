import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { giveDirectory, type OsUser } from './os-user.ts'

const prefix = 'bundle-console-'

/** A short path, because a socket's path is limited to about 100 characters, and one that the server's user can access. */
export function makeRunDirectory(user: OsUser | undefined, kind: 'run' | 'test' = 'run'): string {
  const usual = tmpdir()
  const base = (user || usual.length > 60) && existsSync('/tmp') ? '/tmp' : usual
  const path = mkdtempSync(join(base, `${prefix}${kind}-`))
  giveDirectory(path, user)
  return path
}

/** The directories of kind `test` below `parent`. */
export function testDirectoriesIn(parent: string): string[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(`${prefix}test-`))
    .map((name) => join(parent, name))
}

/** Removes a directory of {@link makeRunDirectory}, and nothing else. */
export function removeRunDirectory(path: string | undefined): void {
  if (!path || !basename(path).startsWith(prefix)) return
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

/** On systems without Unix sockets the server listens on loopback. */
export const needsTcp = process.platform === 'win32'
