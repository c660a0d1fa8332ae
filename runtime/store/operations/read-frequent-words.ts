import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { microsecondsOf } from '../instants.ts'
import { hasWords } from './find-by-text.ts'
import type { Db } from '../../model/db.ts'
import type { OperationFilter } from './filter-operations.ts'
import { isAfter } from './operation-order.ts'
import type { After, PageOrder } from './operation-order.ts'

/**
 * The operations that a page of a search for frequent words reads. Words that are frequent alone may be rare together, and
 * then a page would read all operations to its end. These many take less than 50 ms.
 */
const READ_MAX = { created_at: 20_000, finished_at: 3_000 }

export interface WordsRead {
  operationIds: string[]
  /** The last operation that was read, if there may be more matches after it. */
  readTo: After | null
}

/**
 * The next operations with these words that meet the condition, among those that one page reads. By end, the condition
 * includes the words, because the texts have no order by end.
 */
export async function readFrequentWords(
  db: Db,
  query: string,
  { condition, filter }: { condition: RawBuilder<unknown>; filter: OperationFilter },
  page: PageOrder,
): Promise<WordsRead> {
  const { by, direction, rows: limit, after } = page
  const isByEnd = by === 'finished_at'
  const table = isByEnd ? 'operation' : 'operation_text'
  const readMax = READ_MAX[by]
  const column = `${table}.${by}`
  const directed = sql.raw(direction)
  const time = isByEnd ? sql`true` : inTime(filter)
  const { rows } = await sql<{ operation_id: string; microseconds: number; is_last: boolean }>`
    with read as materialized (
      select ${sql.ref(`${table}.operation_id`)}, ${microsecondsOf(column)} as microseconds,
        ${isByEnd ? sql`true` : hasWords(query)} as is_match
      from ${sql.table(`runtime.${table}`)}
      where ${sql.ref(column)} is not null and ${time}
        and ${isAfter(after, { column, id: `${table}.operation_id`, direction })}
      order by ${sql.ref(column)} ${directed}, ${sql.ref(`${table}.operation_id`)} ${directed}
      limit ${readMax}
    ), matched as (
      -- "offset 0" keeps the order of what was read, so that the reading ends with the page
      select read.operation_id, read.microseconds
      from read cross join lateral (
        select from runtime.operation
        where operation.operation_id = read.operation_id and ${condition} offset 0) as met
      where read.is_match limit ${limit}
    )
    select operation_id, microseconds, false as is_last from matched
    union all (
      select operation_id, microseconds, true from read
      where (select count(*) from matched) < ${limit} offset ${readMax - 1} limit 1)`.execute(db)
  const last = rows.find(({ is_last }) => is_last)
  return {
    operationIds: rows.filter(({ is_last }) => !is_last).map(({ operation_id }) => operation_id),
    readTo: last ? { microseconds: last.microseconds, operationId: last.operation_id, hasEnded: true } : null,
  }
}

function inTime({ since, until }: OperationFilter): RawBuilder<unknown> {
  const conditions = [sql`true`]
  if (since !== undefined) conditions.push(sql`operation_text.created_at >= ${since}::timestamptz`)
  if (until !== undefined) conditions.push(sql`operation_text.created_at < ${until}::timestamptz`)
  return sql.join(conditions, sql` and `)
}
