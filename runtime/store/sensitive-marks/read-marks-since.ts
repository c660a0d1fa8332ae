import { sql } from 'kysely'
import type { Marks } from '../../model/marks.ts'
import type { Db } from '../../model/db.ts'

/** Returns the properties in the scope of an operation that were marked as sensitive after it was created. */
export async function readMarksSince(db: Db, operationId: string): Promise<Marks> {
  const { rows } = await sql<{ locator: string; property: string }>`
    select mark.locator, mark.property
    from runtime.operation as operation join runtime.sensitive_mark as mark using (scope_id)
    where operation.operation_id = ${operationId} and mark.marked_at >= operation.created_at`.execute(db)
  const marks = new Map<string, Set<string>>()
  for (const { locator, property } of rows)
    marks.set(locator, (marks.get(locator) ?? new Set()).add(property))
  return marks
}
