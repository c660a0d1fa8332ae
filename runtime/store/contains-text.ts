import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { containing } from './like.ts'

/** The condition that one of the columns contains the text, ignoring case. */
export function containsText(
  text: string | undefined,
  columns: readonly RawBuilder<unknown>[],
): RawBuilder<boolean> {
  if (text === undefined || text === '') return sql<boolean>`true`
  const conditions = columns.map((column) => sql`${column} ilike ${containing(text)}`)
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}
