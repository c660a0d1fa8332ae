import type pg from 'pg'
import { ok, warn, fail } from './finding.ts'
import type { Finding } from './finding.ts'

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
  // the answer was made at some time between the two
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
