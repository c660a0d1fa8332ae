import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'
import { microsecondsOf } from '../instants.ts'
import { isAfter } from './filter-operations.ts'
import type { OperationFilter, After, PageOrder } from './filter-operations.ts'
import { hasWords } from './search.ts'
import type { Stream } from './search.ts'

/**
 * The operations that a page of a search for frequent words reads. Words that are frequent alone may be rare together, and
 * then a page would read all operations to its end. These many take less than 50 ms.
 */
const READ_MAX = { created_at: 20_000, finished_at: 3_000 }

/** The operations that a page of a search for several words reads of each key, at least and at most, and of all keys together. */
const STREAM_MIN = 50
const STREAM_MAX = 4_000
const STREAMS_MAX = 8_000
/** Most pages are full long before that. The part of it that is read first, and for how many rows at most that may be enough. */
const FIRST_SHARE = 0.1
const FIRST_ROWS_MAX = 201

export interface WordsRead {
  operationIds: string[]
  /** The last operation that was read, if there may be more matches after it. */
  readTo: After | null
}

/**
 * The next operations of the streams that meet the condition, among those that one page reads: the conditions of the other words may
 * hold for none of a million. By creation.
 *
 * @param texts Whether operations that the lead finds by its texts are read too.
 */
export async function readStreams(
  db: Db,
  from: Streams,
  met: { condition: RawBuilder<unknown>; filter: OperationFilter },
  page: StreamsPage,
): Promise<WordsRead> {
  if (page.rows <= FIRST_ROWS_MAX) {
    const first = await readShare(db, from, met, { ...page, share: FIRST_SHARE })
    if (first.operationIds.length === page.rows || first.readTo === null) return first
  }
  return readShare(db, from, met, { ...page, share: 1 })
}

interface Streams {
  streams: readonly Stream[]
  texts: boolean
}
type StreamsPage = Omit<PageOrder, 'by' | 'mayHaveEnded'>

async function readShare(
  db: Db,
  { streams, texts }: Streams,
  { condition, filter }: { condition: RawBuilder<unknown>; filter: OperationFilter },
  { direction, rows: limit, after, share }: StreamsPage & { share: number },
): Promise<WordsRead> {
  const directed = sql.raw(direction)
  const keys = streams.reduce((sum, { count }) => sum + count, texts ? 1 : 0)
  const all = share * STREAMS_MAX
  const most = Math.min(Math.max(Math.floor(all / Math.max(keys, 1)), share * STREAM_MIN), share * STREAM_MAX)
  // "offset 0" keeps the condition from being a join with all texts
  const met = sql`left join lateral (select true as is_met where ${condition} offset 0) as met on true`
  const metById = sql`left join lateral (
    select true as is_met from runtime.operation
    where operation.operation_id = listed.operation_id and ${condition} offset 0) as met on true`
  const read = (
    table: 'operation' | 'operation_text',
    { isIts, isSorted = false }: { isIts: RawBuilder<unknown>; isSorted?: boolean },
  ) => sql`
    select created_at, operation_id, row_number() over (order by created_at ${directed}, operation_id ${directed}) as number, is_met
    from (
      select ${isSorted ? sql`created_at, operation_id` : sql`*`} from ${sql.table(`runtime.${table}`)}
      where ${isIts} and ${inTime(filter, table)}
        and ${isAfter(after, { column: `${table}.created_at`, id: `${table}.operation_id`, direction })}
      order by created_at ${directed}, operation_id ${directed} limit ${most}) as ${isSorted ? sql`listed ${metById}` : sql`operation ${met}`}`
  // as many of the list are compared with the stream; the last one marks how far was read, whether it is a match or not
  const walk = ({ keys: walked, isItsByRow }: Stream) => sql`
    select created_at, operation_id, case when number = ${all} then ${most} else 0 end as number, is_met
    from (
      select operation.* from unnest(${walked}) as stream (key) cross join (
        select operation.created_at, operation.operation_id,
          row_number() over (order by operation.created_at ${directed}, operation.operation_id ${directed}) as number
        from runtime.operation
        where ${inTime(filter, 'operation')}
          and ${isAfter(after, { column: 'operation.created_at', id: 'operation.operation_id', direction })}
        order by operation.created_at ${directed}, operation.operation_id ${directed} limit ${all}) as operation
      where number = ${all} or ${isItsByRow}) as listed ${metById}`
  const branches = [
    ...streams.filter(({ isItsByRow }) => isItsByRow !== undefined).map(walk),
    ...streams
      .filter(({ isItsByRow }) => isItsByRow === undefined)
      .map(
        (stream) => sql`
        select each.* from unnest(${stream.keys}) as stream (key)
        cross join lateral (${read('operation', stream)}) as each`,
      ),
    ...(texts ? [sql`(${read('operation_text', { isIts: sql`true`, isSorted: true })})`] : []),
  ]
  if (branches.length === 0) return { operationIds: [], readTo: null }
  const isPast = sql`(streamed.created_at, streamed.operation_id) ${direction === 'desc' ? sql`<` : sql`>`}
    (ended.created_at, ended.operation_id)`
  const { rows } = await sql<{ operation_id: string; microseconds: number; is_last: boolean }>`
    with streamed as materialized (${sql.join(branches, sql` union all `)}),
    ended as materialized (
      -- one of the streams goes on after it, and is not read there
      select created_at, operation_id from streamed where number = ${most}
      order by created_at ${directed}, operation_id ${directed} limit 1
    ), matched as materialized (
      select distinct created_at, operation_id from streamed
      where is_met and not exists (select from ended where ${isPast})
      order by created_at ${directed}, operation_id ${directed} limit ${limit}
    )
    select operation_id, ${microsecondsOf('created_at')} as microseconds, false as is_last from matched
    union all (
      select operation_id, ${microsecondsOf('created_at')}, true from ended
      where (select count(*) from matched) < ${limit})`.execute(db)
  return readOf(rows)
}

function readOf(
  rows: readonly { operation_id: string; microseconds: number; is_last: boolean }[],
): WordsRead {
  const last = rows.find(({ is_last }) => is_last)
  return {
    operationIds: rows.filter(({ is_last }) => !is_last).map(({ operation_id }) => operation_id),
    readTo: last ? { microseconds: last.microseconds, operationId: last.operation_id, hasEnded: true } : null,
  }
}

/**
 * The next operations with these words that meet the condition, among those that one page reads. By end, the condition
 * includes the words, because the texts have no order by end; then only operations that meet `within` are counted as read.
 */
export async function readFrequentWords(
  db: Db,
  query: string,
  {
    condition,
    within,
    filter,
  }: { condition: RawBuilder<unknown>; within: RawBuilder<unknown>; filter: OperationFilter },
  page: PageOrder,
): Promise<WordsRead> {
  const { by, direction, rows: limit, after } = page
  const isByEnd = by === 'finished_at'
  const table = isByEnd ? 'operation' : 'operation_text'
  const readMax = READ_MAX[by]
  const column = `${table}.${by}`
  const directed = sql.raw(direction)
  const time = isByEnd ? sql`true` : inTime(filter, table)
  const { rows } = await sql<{ operation_id: string; microseconds: number; is_last: boolean }>`
    with read as materialized (
      select ${sql.ref(`${table}.operation_id`)}, ${microsecondsOf(column)} as microseconds,
        ${isByEnd ? sql`true` : hasWords(query)} as is_match
      from ${sql.table(`runtime.${table}`)}
      where ${sql.ref(column)} is not null and ${time} and ${isByEnd ? within : sql`true`}
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
  return readOf(rows)
}

function inTime(
  { since, until }: OperationFilter,
  table: 'operation' | 'operation_text',
): RawBuilder<unknown> {
  const column = sql.ref(`${table}.created_at`)
  const conditions = [sql`true`]
  if (since !== undefined) conditions.push(sql`${column} >= ${since}::timestamptz`)
  if (until !== undefined) conditions.push(sql`${column} < ${until}::timestamptz`)
  return sql.join(conditions, sql` and `)
}
