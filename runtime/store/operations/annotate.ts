import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { RuntimeTables } from '../../model/tables.ts'

export type NoteRow = Selectable<RuntimeTables['runtime.operation_note']>

/** Assigns an operation to a person, or to nobody. The operation is locked. */
export function updateAssignee(tx: Tx, operationId: string, person: Person | null): Promise<OperationRow> {
  return tx
    .updateTable('runtime.operation')
    .set({ assignee_id: person?.id ?? null, assignee_name: person?.name ?? null })
    .where('operation_id', '=', operationId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns the name under which a person last acted; undefined if they never did. */
export async function findPersonName(tx: Tx, personId: string): Promise<string | undefined> {
  const { rows } = await sql<{ actor_name: string }>`
    select actor_name from runtime.audit_entry where actor_id = ${personId}
    order by sequence desc limit 1`.execute(tx)
  return rows[0]?.actor_name
}

/** Adds a note with this number. The operation is locked. */
export function insertNote(
  tx: Tx,
  {
    operationId,
    number,
    author,
    text,
  }: { operationId: string; number: number; author: Person; text: string },
): Promise<NoteRow> {
  return tx
    .insertInto('runtime.operation_note')
    .values({ operation_id: operationId, number, author_id: author.id, author_name: author.name, text })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns the notes of an operation, oldest first. */
export function readNotes(db: Db, operationId: string): Promise<NoteRow[]> {
  return db
    .selectFrom('runtime.operation_note')
    .selectAll()
    .where('operation_id', '=', operationId)
    .orderBy('number')
    .execute()
}
