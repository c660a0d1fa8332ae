import { inTransaction } from '#database/transaction.ts'
import type { Db, Tx } from '../model/db.ts'
import {
  nextFinished,
  findLateTakeovers,
  deleteAttemptsAndRequests,
  removeBatch,
  deleteOperations,
  lockRemovable,
} from '../store/retention/finished-work.ts'
import type { FinishedOperation } from '../store/retention/finished-work.ts'
import {
  addRemoved,
  completeRun,
  lockRun,
  moveAttemptsUntil,
  moveExamined,
} from '../store/retention/retention-row.ts'
import type { Removed, RetentionRow } from '../store/retention/retention-row.ts'
import { recordAudit, systemActor } from '../use-cases/audit/record.ts'

/** How many days something is kept after it finished; 0: forever. */
export interface RetentionPeriods {
  /** Batches and succeeded CONFIGURE operations. */
  operationsDays: number
  /** Attempts and stored requests; 0: as long as their operation. */
  attemptsDays: number
}

/** Called with operations before any of their data is removed; if it rejects, nothing is removed. */
export type Archive = (operationIds: readonly string[]) => Promise<void>

/** What a step did: `removed` part of what is old, `completed` the run, or nothing: `none`. */
type StepResult = { kind: 'none' } | { kind: 'removed' } | { kind: 'completed'; removed: Removed }

/**
 * Does the next step of a run of retention, in one transaction. Does nothing if no run is due or another replica is in the
 * middle of a step. See docs/operating/retention.md.
 */
export function removeStep(
  db: Db,
  { operationsDays, attemptsDays }: RetentionPeriods,
  archive: Archive = () => Promise.resolve(),
): Promise<StepResult> {
  return inTransaction(db, async (tx) => {
    const run = await lockRun(tx)
    if (run === undefined) return { kind: 'none' }
    const removed =
      (operationsDays === 0 ? null : await removeOldOperations(tx, run, operationsDays, archive)) ??
      (attemptsDays === 0 ? null : await removeOldAttempts(tx, run, attemptsDays, archive))
    if (removed === null) return complete(tx, run, operationsDays)
    await addRemoved(tx, removed)
    return { kind: 'removed' }
  })
}

/** Returns null if the run has examined all. */
async function removeOldOperations(
  tx: Tx,
  run: RetentionRow,
  days: number,
  archive: Archive,
): Promise<Removed | null> {
  const now = run.runStartedAt
  // first, because an operation stays as long as a batch names it
  if (await removeBatch(tx, now, days)) return { operations: 0, attempts: 0, batches: 1 }
  const next = await nextFinished(tx, { at: run.examinedAt, id: run.examinedId }, { now, days })
  const last = next.at(-1)
  if (last === undefined) return null
  const ids = await lockRemovable(tx, idsOf(next))
  await archive(ids)
  const attempts = await deleteOperations(tx, ids)
  await moveExamined(tx, last)
  return { operations: ids.length, attempts, batches: 0 }
}

/** Returns null if no attempts are old enough. */
async function removeOldAttempts(
  tx: Tx,
  run: RetentionRow,
  days: number,
  archive: Archive,
): Promise<Removed | null> {
  const position = { at: run.attemptsUntil, id: run.attemptsUntilId }
  const age = { now: run.runStartedAt, days }
  const next = await nextFinished(tx, position, age)
  const last = next.at(-1)
  if (last === undefined) {
    const late = await findLateTakeovers(tx, position, age)
    if (late.length === 0) return null
    await archive(late)
    return { operations: 0, attempts: await deleteAttemptsAndRequests(tx, late), batches: 0 }
  }
  await archive(idsOf(next))
  const attempts = await deleteAttemptsAndRequests(tx, idsOf(next))
  await moveAttemptsUntil(tx, last)
  return { operations: 0, attempts, batches: 0 }
}

const idsOf = (operations: readonly FinishedOperation[]): string[] =>
  operations.map(({ operation_id }) => operation_id)

async function complete(tx: Tx, run: RetentionRow, operationsDays: number): Promise<StepResult> {
  const { operations, attempts, batches } = run
  const removed = { operations, attempts, batches }
  if (operations + attempts + batches > 0)
    await recordAudit(tx, systemActor(`retention-${run.runStartedAt}`), {
      action: 'retention.run',
      subject: 'retention',
      changes: Object.entries(removed).map(([property, count]) => ({
        locator: null,
        property,
        before: null,
        after: { '@type': 'Data', value: count },
      })),
    })
  await completeRun(tx, operationsDays)
  return { kind: 'completed', removed }
}
