import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { giveDirectory, type OsUser } from './os-user.ts'

const prefix = 'bundle-console-'

/** A short path, as that of a socket may have about 100 characters, and one that the server's user can follow. */
export function makeRunDirectory(user: OsUser | undefined, kind: 'run' | 'test' = 'run'): string {
  const usual = tmpdir()
  const base = (user || usual.length > 60) && existsSync('/tmp') ? '/tmp' : usual
  const path = mkdtempSync(join(base, `${prefix}${kind}-`))
  giveDirectory(path, user)
  return path
}

/** Those of the kind `test` below `parent`. */
export function testDirectoriesIn(parent: string): string[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(`${prefix}test-`))
    .map((name) => join(parent, name))
}

/** Removes what {@link makeRunDirectory} made, and nothing else. */
export function removeRunDirectory(path: string | undefined): void {
  if (!path || !basename(path).startsWith(prefix)) return
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

/** Where there are no unix sockets, the server is on loopback. */
export const needsTcp = process.platform === 'win32'
