import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { checkDataDirectory } from '#database/data-directory.ts'
import { ok, warn, fail } from './finding.ts'
import type { Finding } from './finding.ts'

const MIB = 2 ** 20
/** With the database in the directory, and without it. */
const NEEDED = { embedded: { warn: 2048, fail: 256 }, keysOnly: { warn: 64, fail: 1 } }

/** Whether `DATA_DIR` can be used, and whether its disk has space. */
export async function checkDisk(dataDir: string, hasDatabase: boolean): Promise<Omit<Finding, 'check'>> {
  checkDataDirectory(dataDir)
  let existing = resolve(dataDir)
  while (!existsSync(existing)) existing = dirname(existing)
  const { bavail, bsize } = await statfs(existing)
  return judgeSpace((bavail * bsize) / MIB, hasDatabase)
}

/** @param free in MiB. */
export function judgeSpace(free: number, hasDatabase: boolean): Omit<Finding, 'check'> {
  const needed = hasDatabase ? NEEDED.embedded : NEEDED.keysOnly
  const message = `DATA_DIR is writable and has ${Math.floor(free).toLocaleString('en')} MiB free`
  if (free < needed.fail) return fail(`${message}; free some space`)
  if (free < needed.warn) return warn(`${message}; free some space before it runs out`)
  return ok(message)
}
