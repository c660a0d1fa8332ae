import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
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
  const nextAttemptAt =
    after.waitMs === null
      ? sql`null::timestamptz`
      : sql`clock_timestamp() + ${after.waitMs} * interval '1 millisecond'`
  await sql`
    with finished as (${finishAttempt(key, judgement, false)})
    update runtime.plugin_call
    set outcome = ${judgement.outcome},
      ended_well = ${after.endedWell},
      failed = ${after.failed},
      last_failure = ${jsonOrNull(after.failure)},
      writes = ${after.endedWell ? JSON.stringify(judgement.writes) : null},
      next_attempt_at = ${nextAttemptAt}
    from finished
    where plugin_call.operation_id = finished.operation_id and plugin_call.stage = finished.stage
      and plugin_call.plugin_id = finished.plugin_id and not plugin_call.ended_well`.execute(tx)
}

/** An answer that came after its worker had lost the operation: kept on the attempt, and nothing else is changed. */
export async function recordLateAnswer(db: Db, key: AttemptKey, judgement: Judgement): Promise<void> {
  await finishAttempt(key, judgement, true).execute(db)
}

/** Gives no row when the attempt was finished before. */
function finishAttempt(key: AttemptKey, judgement: Judgement, isLate: boolean): RawBuilder<unknown> {
  return sql`
    update runtime.attempt
    set finished_at = clock_timestamp(),
      late = ${isLate},
      outcome = ${judgement.outcome},
      failure = ${jsonOrNull(judgement.failure)},
      http_status = ${judgement.httpStatus},
      response = ${jsonOrNull(judgement.recorded)}
    where operation_id = ${key.operationId} and stage = ${key.stage} and plugin_id = ${key.pluginId}
      and attempt = ${key.attempt} and finished_at is null
    returning operation_id, stage, plugin_id`
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
