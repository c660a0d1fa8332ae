import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/** A change in an audit entry whose property was later marked as sensitive. */
export interface AuditMark {
  sequence: number
  locator: string
  property: string
}

/**
 * Returns the changes in these audit entries whose properties were marked as sensitive after the entry was written.
 */
export async function readAuditMarks(db: Db, sequences: readonly number[]): Promise<AuditMark[]> {
  if (sequences.length === 0) return []
  const { rows } = await sql<AuditMark>`
    select entry.sequence, mark.locator, mark.property
    from runtime.audit_entry as entry
    join runtime.scope as scope using (environment_key, application_runtime_id, workspace_id)
    cross join json_to_recordset(entry.changes) as change (locator text, property text)
    join runtime.sensitive_mark as mark
      on mark.scope_id = scope.scope_id and mark.locator = change.locator and mark.property = change.property
    where entry.sequence = any(${[...sequences]}::bigint[]) and mark.marked_at >= entry.at`.execute(db)
  return rows
}
