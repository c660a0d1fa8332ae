import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { UNASSIGNED } from '#contract/runtime-api/vocabulary.ts'
import type { OperationSort } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { MERGED_STREAMS_MAX, isVisible, narrowToScopes, visibleScopes } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'
import { callAttempts } from './call-attempts.ts'
import { isUnsettled, operationFilter } from './filter-operations.ts'
import type { OperationFilter, OperationQuery } from './filter-operations.ts'
import { findByText, hasWords, isFound } from './find-by-text.ts'
import type { FoundByText } from './find-by-text.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Db } from '../../model/db.ts'

/** The row that a page starts after: the time that the list is sorted by, and its id. */
export interface After {
  microseconds: number
  operationId: string
  /** By the time of the end: whether the row has ended. Those that have not come last, by creation. */
  hasEnded: boolean
}

export type ListedOperation = OperationRow & {
  created_microseconds: number
  finished_microseconds: number | null
  call_attempts: number
}

/** The operations that the actor may see, in the order of the query. A page costs the same at any depth. */
export async function listOperations(
  db: Db,
  actor: Actor,
  query: OperationQuery,
  after: After | undefined,
): Promise<ListedOperation[]> {
  const sort = SORTS[query.sort]
  const matched = await matching(db, actor, query)
  if (matched.streams?.length === 0 && matched.words === null) return []
  const page = sort.by === 'created_at' ? byCreation : byEnd
  return page(db, matched, { ...sort, rows: query.limit + 1, after })
}

interface Sort {
  by: 'created_at' | 'finished_at'
  direction: 'asc' | 'desc'
}

/** The order of each sort. */
export const SORTS: Record<OperationSort, Sort> = {
  '-createdAt': { by: 'created_at', direction: 'desc' },
  createdAt: { by: 'created_at', direction: 'asc' },
  '-finishedAt': { by: 'finished_at', direction: 'desc' },
  finishedAt: { by: 'finished_at', direction: 'asc' },
}

/** The order of a page, how many rows it reads, and the row that it starts after. */
interface PageOrder extends Sort {
  rows: number
  after: After | undefined
}

const COLUMNS = sql`operation.*, ${microsecondsOf('operation.created_at')} as created_microseconds,
  ${microsecondsOf('operation.finished_at')} as finished_microseconds, ${callAttempts()} as call_attempts`

async function byCreation(
  db: Db,
  { condition, streams, words }: Matching,
  { rows: limit, direction, after }: PageOrder,
): Promise<ListedOperation[]> {
  const directed = sql.raw(direction)
  const startIn = (table: 'operation' | 'operation_text') =>
    isAfter(after, { column: `${table}.created_at`, id: `${table}.operation_id`, direction })
  const order = sql`order by created_at ${directed}, operation_id ${directed} limit ${limit}`
  if (streams === null) {
    // the page first: calls are looked up for its rows only
    const rows = await sql<ListedOperation>`
      select ${COLUMNS} from (
        select * from runtime.operation as operation where ${condition} and ${startIn('operation')} ${order}
      ) as operation order by operation.created_at ${directed}, operation.operation_id ${directed}`.execute(
      db,
    )
    return rows.rows
  }
  // merges the first rows of each stream; only the rows of the page are read in full
  const branches = streams.map(
    ({ keys, isIts }) => sql`
      select first.created_at, first.operation_id
      from unnest(${keys}) as stream (key) cross join lateral (
        select operation.created_at, operation.operation_id from runtime.operation as operation
        where ${isIts} and ${condition} and ${startIn('operation')} ${order}) as first`,
  )
  if (words !== null)
    branches.push(sql`
      select first.created_at, first.operation_id from (
        select operation_text.created_at, operation_text.operation_id
        from runtime.operation_text join runtime.operation as operation using (operation_id)
        where ${hasWords(words)} and ${condition} and ${startIn('operation_text')} ${order}) as first`)
  const rows = await sql<ListedOperation>`
    select ${COLUMNS} from (
      select created_at, operation_id from (${sql.join(branches, sql` union `)}) as merged ${order}
    ) as page join runtime.operation as operation using (operation_id)
    order by operation.created_at ${directed}, operation.operation_id ${directed}`.execute(db)
  return rows.rows
}

/** One statement, so that an operation that ends meanwhile is neither missed nor listed twice. */
async function byEnd(
  db: Db,
  { whole }: Matching,
  { rows: limit, direction, after }: PageOrder,
): Promise<ListedOperation[]> {
  const directed = sql.raw(direction)
  const orderBy = (column: string) =>
    sql`order by ${sql.ref(`operation.${column}`)} ${directed}, operation.operation_id ${directed}`
  const startIn = (column: string) =>
    isAfter(after, { column: `operation.${column}`, id: 'operation.operation_id', direction })
  const isPastEnded = after?.hasEnded === false
  const { rows } = await sql<ListedOperation>`
    with ended as (
      select operation.* from runtime.operation as operation
      where ${isPastEnded ? sql`false` : sql`operation.finished_at is not null and ${whole} and ${startIn('finished_at')}`}
      ${orderBy('finished_at')} limit ${limit}
    ), others as (
      -- the states are redundant, but let the planner use the small index of the queue
      select operation.* from runtime.operation as operation
      where operation.finished_at is null and operation.state in ('PENDING', 'RUNNING', 'WAITING') and ${whole}
        and ${isPastEnded ? startIn('created_at') : sql`true`}
      ${orderBy('created_at')} limit ${limit} - (select count(*) from ended)
    )
    select ${COLUMNS} from (select * from ended union all select * from others) as operation
    order by operation.finished_at is null, coalesce(operation.finished_at, operation.created_at) ${directed},
      operation.operation_id ${directed}`.execute(db)
  return rows
}

function isAfter(
  after: After | undefined,
  { column, id, direction }: { column: string; id: string; direction: Sort['direction'] },
): RawBuilder<unknown> {
  if (after === undefined) return sql`true`
  return sql`(${sql.ref(column)}, ${sql.ref(id)}) ${direction === 'desc' ? sql`<` : sql`>`}
    (${instantAt(after.microseconds)}, ${after.operationId}::uuid)`
}

/** Counts the operations that the actor may see and that match the filter, up to `most`. */
export async function countMatching(
  db: Db,
  actor: Actor,
  filter: OperationFilter,
  most: number,
): Promise<number> {
  const { condition, streams, words, isUnrestricted } = await matching(db, actor, filter)
  const limit = sql`limit ${most}`
  const branches = streams?.map(
    ({ keys, isIts }) => sql`
      (select each.operation_id from unnest(${keys}) as stream (key) cross join lateral (
        select operation.operation_id from runtime.operation as operation
        where ${isIts} and ${condition} ${limit}) as each ${limit})`,
  ) ?? [sql`(select operation_id from runtime.operation as operation where ${condition} ${limit})`]
  if (words !== null) {
    // each text belongs to one operation, which is read only if it has to meet a condition
    const isSearchOnly = isUnrestricted && isOnlySearch(filter)
    branches.push(
      isSearchOnly
        ? sql`(select operation_id from runtime.find_words(${words}::tsquery, ${most}) as operation_id)`
        : sql`
      (select operation_id from runtime.operation_text join runtime.operation as operation using (operation_id)
      where ${hasWords(words)} and ${condition} ${limit})`,
    )
  }
  if (branches.length === 0) return 0
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select operation_id from (
      ${sql.join(branches, sql` union `)}) as found ${limit}) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

interface Matching {
  /** Of the rows of each stream, or of the whole list. */
  condition: RawBuilder<unknown>
  /** Of the whole list. */
  whole: RawBuilder<unknown>
  /** To merge, sorted by creation; null if filtering the whole list is faster. */
  streams: Stream[] | null
  /** Of one more stream: the operations with these words. */
  words: string | null
  /** Whether the actor may see every operation. */
  isUnrestricted: boolean
}

/** Which operations the actor may see that match the filter. */
async function matching(db: Db, actor: Actor, filter: OperationFilter): Promise<Matching> {
  const visible = await narrowToScopes(db, await visibleScopes(db, actor, 'read', filter))
  const found = filter.q === undefined || filter.q === '' ? null : await findByText(db, filter.q)
  const streams = streamsOf(filter, visible, found)
  const all = sql`${isVisible(visible, 'operation')} and ${operationFilter(filter)}`
  const whole = found === null ? all : sql`${all} and ${isFound(found)}`
  return {
    condition: streams === null ? whole : all,
    whole,
    streams,
    words: found === null || streams === null ? null : found.words,
    isUnrestricted: visible.kind === 'everything',
  }
}

/** Whether the search text is the only filter. */
function isOnlySearch(filter: OperationFilter): boolean {
  return Object.entries(filter).every(([name, value]) => name === 'q' || value === undefined)
}

interface Stream {
  keys: RawBuilder<unknown>
  /** The condition that an operation belongs to the stream of `stream.key`. */
  isIts: RawBuilder<unknown>
}

/** The streams to merge; null if filtering the whole list is faster. */
function streamsOf(
  query: OperationFilter,
  visible: VisibleScopes,
  found: FoundByText | null,
): Stream[] | null {
  if (found !== null) {
    const { bundles, people, installations, operations } = found
    if (bundles.length + people.length + installations.length > MERGED_STREAMS_MAX) return null
    const always = people.filter(({ isAlways }) => isAlways).map(({ id }) => id)
    const renamed = people.filter(({ isAlways }) => !isAlways)
    const renamedIds = renamed.map(({ id }) => id)
    const names = renamed.flatMap((person) => person.names)
    const streams = [
      { count: bundles.length, keys: sql`${bundles}::text[]`, isIts: sql`operation.bundle_id = stream.key` },
      {
        count: always.length,
        keys: sql`${always}::text[]`,
        isIts: sql`operation.requested_by_id = stream.key`,
      },
      {
        count: renamed.length,
        keys: sql`${renamedIds}::text[]`,
        isIts: sql`operation.requested_by_id = stream.key and operation.requested_by_name = any(${names}::text[])`,
      },
      {
        count: installations.length,
        keys: sql`${installations}::uuid[]`,
        isIts: sql`operation.bundle_install_id = stream.key`,
      },
      {
        count: operations.length,
        keys: sql`${operations}::uuid[]`,
        isIts: sql`operation.operation_id = stream.key`,
      },
    ]
    return streams.filter(({ count }) => count > 0)
  }
  if (visible.kind === 'everything') return null
  const places = visible.kind === 'scopes' ? visible.ids : visible.keys
  if (places.length === 0) return []
  const { bundleInstallId, requestedBy, errorCode, pluginId, failureGroup } = query
  // most operations have no assignee
  const assignee = query.assignee === UNASSIGNED ? undefined : query.assignee
  const isSelective = [bundleInstallId, requestedBy, errorCode, pluginId, failureGroup, assignee].some(
    (value) => value !== undefined,
  )
  const isMerged =
    visible.kind === 'scopes' &&
    places.length > 1 &&
    places.length <= MERGED_STREAMS_MAX &&
    !isSelective &&
    !isUnsettled(query)
  return isMerged ? [{ keys: sql`${places}::bigint[]`, isIts: sql`operation.scope_id = stream.key` }] : null
}
