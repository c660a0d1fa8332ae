import { sql } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { CauseState } from '#contract/runtime-api/vocabulary.ts'
import type { StoredSolution } from '../../model/cause-tables.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { CauseColumns, CauseNoteRow } from './causes.ts'

/** Locks a cause until the transaction ends, and returns it. */
export function lockCause(tx: Tx, causeId: string): Promise<CauseColumns | undefined> {
  return tx
    .selectFrom('runtime.cause')
    .selectAll()
    .where('cause_id', '=', causeId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** What a person changes of a cause. */
export interface CauseChange {
  state: CauseState
  assignee: Person | null
  waitingFor: string | null
  /** Undefined leaves what solved it. */
  solvedBy: StoredSolution | undefined
}

/** Changes a cause, which is locked. */
export async function updateCause(tx: Tx, causeId: string, change: CauseChange): Promise<void> {
  const { state, assignee, waitingFor, solvedBy } = change
  await sql`
    update runtime.cause set state = ${state}, assignee_id = ${assignee?.id ?? null}, assignee_name = ${assignee?.name ?? null},
      waiting_for = ${waitingFor}, updated_at = clock_timestamp()
      ${solvedBy === undefined ? sql`` : sql`, solved_at = clock_timestamp(), solved_by = ${JSON.stringify(solvedBy)}::json`}
    where cause_id = ${causeId}`.execute(tx)
}

/** Adds a note with this number. The cause is locked. */
export function insertCauseNote(
  tx: Tx,
  { causeId, number, author, text }: { causeId: string; number: number; author: Person; text: string },
): Promise<CauseNoteRow> {
  return tx
    .insertInto('runtime.cause_note')
    .values({ cause_id: causeId, number, author_id: author.id, author_name: author.name, text })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Applies failures and successes whose cause somebody else had locked when they were written, because a worker does not wait for that.
 * Leaves those whose cause is locked now. Returns how many were applied, at most `limit`.
 */
export async function settleCauses(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{
    settled: number
  }>`select runtime.settle_causes(${limit}::int) as settled`.execute(db)
  return rows[0]?.settled ?? 0
}
