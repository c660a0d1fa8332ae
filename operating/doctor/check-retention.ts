import type { Db } from '#runtime/model/db.ts'
import { readRetention } from '#runtime/store/retention/retention-row.ts'
import { requireArchive } from '#runtime/retention/archive-receipts.ts'
import type { Deployment } from '../deployment.ts'
import { ok, skip, warn } from './finding.ts'
import type { Finding } from './finding.ts'

const DAY = 86_400
const LATE = 2 * DAY

/** How long finished work is kept, and whether old work is removed. */
export async function checkRetention(
  { runtime }: Deployment,
  db: Db,
  isCurrent: boolean,
): Promise<Omit<Finding, 'check'>> {
  if (runtime === null) return skip('only runtimes remove what is old')
  const { operationsDays, attemptsDays } = runtime.retention
  if (operationsDays === 0 && attemptsDays === 0)
    return warn(
      'nothing is ever removed, so the disk fills up; set RETENTION_OPERATIONS_DAYS or RETENTION_ATTEMPTS_DAYS',
    )
  await requireArchive(runtime.retention.archive)
  const kept = `operations are kept ${periodOf(operationsDays)}, their attempts ${periodOf(attemptsDays)}`
  if (!isCurrent) return ok(kept)
  const { overdue, sinceCompleted, failures } = await readRetention(db)
  if (overdue > LATE)
    return warn(
      `${kept}; a run is overdue for ${days(overdue)} (${failures} failures): see the log of the runtime`,
    )
  return ok(`${kept}; ${sinceCompleted === null ? 'no run yet' : `last run ${hours(sinceCompleted)} ago`}`)
}

const periodOf = (count: number): string => (count === 0 ? 'forever' : `for ${count} days`)
const days = (seconds: number): string => `${Math.floor(seconds / DAY)} days`
const hours = (seconds: number): string => `${Math.floor(seconds / 3_600)} h`
