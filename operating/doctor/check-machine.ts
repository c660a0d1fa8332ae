import { stat, statfs } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type pg from 'pg'
import { fileVariable, SECRET_VARIABLES } from '#http-kit/known-variables.ts'
import { checkDataDirectory } from '#database/data-directory.ts'
import { ok, warn, type Finding, fail } from './finding.ts'

const EVERYBODY = 0o004

/** Whether everybody on the machine can read a file that contains a secret. Key files of that kind are refused anyway. */
export async function checkFiles(env: Record<string, string | undefined>): Promise<Omit<Finding, 'check'>> {
  const names = SECRET_VARIABLES.map(fileVariable)
  const open: string[] = []
  for (const name of names) {
    const path = env[name]
    // the settings are valid, so the file can be read
    if (path && ((await stat(path)).mode & EVERYBODY) !== 0) open.push(`${name}=${path}`)
  }
  if (open.length === 0) return ok('no file with a secret can be read by everybody')
  return warn(`everybody on this machine can read ${open.join(' and ')}: chmod o= it`)
}

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

/** What a runtime tolerates in the assertions of a console whose database is another one. */
const TOLERATED_MS = 5_000
const NOTEWORTHY_MS = 1_000

/** Compares the clock of this machine with the one of the database. */
export async function checkClock(pool: pg.Pool): Promise<Omit<Finding, 'check'>> {
  const before = Date.now()
  const { rows } = await pool.query<{ at: string }>(
    `select extract(epoch from clock_timestamp())::float8 * 1000 as at`,
  )
  const after = Date.now()
  // the response was made at some time between the two
  const differenceMs = Math.round(Number(rows[0]?.at) - (before + after) / 2)
  return judgeClock(differenceMs)
}

/** @param differenceMs of the database's clock to the one of this machine. */
export function judgeClock(differenceMs: number): Omit<Finding, 'check'> {
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1)
  const message = `the clock of this machine is ${seconds} s ${differenceMs > 0 ? 'behind' : 'ahead of'} the one of the database`
  if (Math.abs(differenceMs) > TOLERATED_MS)
    return fail(`${message}; find out which one is wrong, and synchronize both (NTP)`)
  if (Math.abs(differenceMs) > NOTEWORTHY_MS) return warn(`${message}; synchronize the clocks (NTP)`)
  return ok('the clock of this machine and the one of the database agree')
}
