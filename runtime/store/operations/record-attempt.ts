import { sql } from 'kysely'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { CallAfterAttempt } from '../../operations/after-attempt.ts'
import type { Judgement } from '../../plugins/judge.ts'
import type { Db, Tx } from '../../world.ts'

export interface AttemptKey {
  operationId: string
  stage: Stage
  pluginId: string
  attempt: number
}

/**
 * Keeps what an attempt brought, and where that leaves its call. An attempt that was recorded already stays as it is: so
 * this may be run again when nobody knows whether it was committed.
 */
export async function recordAttempt(
  tx: Tx,
  key: AttemptKey,
  judgement: Judgement,
  after: CallAfterAttempt,
): Promise<void> {
  if (!(await finishAttempt(tx, key, judgement, false))) return
  const nextAttemptAt =
    after.waitMs === null ? sql`null` : sql`clock_timestamp() + ${after.waitMs} * interval '1 millisecond'`
  await sql`
    update runtime.plugin_call
    set outcome = ${judgement.outcome},
      ended_well = ${after.endedWell},
      failed = ${after.failed},
      last_failure = ${after.failure === null ? null : JSON.stringify(after.failure)},
      writes = ${after.endedWell ? JSON.stringify(judgement.writes) : null},
      next_attempt_at = ${nextAttemptAt}
    where operation_id = ${key.operationId} and stage = ${key.stage} and plugin_id = ${key.pluginId}
      and not ended_well`.execute(tx)
}

/** An answer that came after its worker had lost the operation: kept on the attempt, and nothing else is changed. */
export async function recordLateAnswer(db: Db, key: AttemptKey, judgement: Judgement): Promise<void> {
  await finishAttempt(db, key, judgement, true)
}

/** False when the attempt was finished before. */
async function finishAttempt(
  db: Db,
  key: AttemptKey,
  judgement: Judgement,
  isLate: boolean,
): Promise<boolean> {
  const finished = await sql`
    update runtime.attempt
    set finished_at = clock_timestamp(),
      late = ${isLate},
      outcome = ${judgement.outcome},
      failure = ${judgement.failure === null ? null : JSON.stringify(judgement.failure)},
      http_status = ${judgement.httpStatus},
      response = ${judgement.recorded === null ? null : JSON.stringify(judgement.recorded)}
    where operation_id = ${key.operationId} and stage = ${key.stage} and plugin_id = ${key.pluginId}
      and attempt = ${key.attempt} and finished_at is null`.execute(db)
  return finished.numAffectedRows === 1n
}
