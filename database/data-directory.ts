import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import type { DatabaseLog } from './server/log.ts'

/**
 * Checks that this user can write to the data directory or create it. Leaves nothing behind. Throws one line that says
 * what to do.
 */
export function checkDataDirectory(dataDir: string): void {
  let existing = resolve(dataDir)
  while (!existsSync(existing)) existing = dirname(existing)
  if (!statSync(existing).isDirectory()) throw unusable(dataDir, `${existing} is not a directory`)
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    // access permits everything to root; where the file system refuses, `mkdir` of Node with `recursive` may never return
    if (existing !== resolve(dataDir)) rmdirSync(mkdtempSync(join(existing, '.bundle-console-')))
  } catch (error) {
    throw unusable(dataDir, reasonOf(error), error)
  }
}

/** Creates the data directory with mode 0700 if it is missing. Throws one line that says what to do. */
export function makeDataDirectory(dataDir: string, log: DatabaseLog): void {
  checkDataDirectory(dataDir)
  if (!existsSync(dataDir)) {
    try {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      chmodSync(dataDir, 0o700)
    } catch (error) {
      throw unusable(dataDir, reasonOf(error), error)
    }
  }
  // The mode of an existing directory is left alone: it may belong to someone and contain more.
  if (process.platform !== 'win32' && (statSync(dataDir).mode & 0o077) !== 0) {
    log.warn({ dataDir }, 'other users can read DATA_DIR; chmod 700 is recommended')
  }
}

function unusable(dataDir: string, reason: string, cause?: unknown): Error {
  return new Error(`DATA_DIR ${dataDir} cannot be used: ${reason}; choose another DATA_DIR`, { cause })
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
  return REASONS[code] ?? code
}

const REASONS: Record<string, string> = {
  EACCES: 'this user cannot write there',
  EPERM: 'this user cannot write there',
  EROFS: 'its file system is read-only',
  ENOENT: 'its file system creates no directories',
  ENOSPC: 'its disk is full',
}
