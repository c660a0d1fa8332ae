import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { UNASSIGNED } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import { microsecondsOf } from '../instants.ts'
import { MERGED_STREAMS_MAX, isVisible, narrowToScopes, visibleScopes } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'
import { wordsOf } from '../text-search.ts'
import { callAttempts, installationTitle, obstacleOf } from './calls.ts'
import { isUnsettled, operationFilter, isAfter, SORTS } from './filter-operations.ts'
import type { OperationFilter, OperationQuery, After, PageOrder, Sort } from './filter-operations.ts'
import { chooseWords } from './choose-words.ts'
import type { ChosenWords, Sample } from './choose-words.ts'
import { findWords } from './find-words.ts'
import type { FoundWord } from './find-words.ts'
import { readFrequentWords, readStreams } from './read-words.ts'
import type { WordsRead } from './read-words.ts'
import { findTogether, hasWords, isFound, streamsOf } from './search.ts'
import type { FoundByText, FrequentWords, Stream } from './search.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Db } from '../../model/db.ts'

export type ListedOperation = OperationRow & {
  created_microseconds: number
  finished_microseconds: number | null
  call_attempts: number
  installation_title: string
}

/** Rows of a page, with one more if there is a next one. */
export interface ListedOperations {
  rows: ListedOperation[]
  /** Of a search for frequent words: how far it has read, if it did not find a full page and may find more. */
  readTo: After | null
  /** Which words of the search the operations have; null without one. */
  words: ChosenWords | null
}

/** The operations that the actor may see, in the order of the query. A page costs the same at any depth. */
export async function listOperationRows(
  db: Db,
  actor: Actor,
  query: OperationQuery,
  after: After | undefined,
): Promise<ListedOperations> {
  const page = { ...SORTS[query.sort], rows: query.limit + 1, after, mayHaveEnded: mayHaveEnded(query) }
  const { chosen: words, matched, read } = await searching(db, actor, query, page)
  if (matched.streams?.length === 0 && matched.words === null && matched.bounded === null)
    return { rows: [], readTo: null, words }
  const worded = after?.hasEnded === false ? null : await (read ?? readWords(db, matched, query, page))
  const rows =
    page.by === 'created_at'
      ? await byCreation(db, matched, page, worded)
      : await byEnd(db, worded === null ? await withFew(db, matched) : matched, page, worded)
  return { rows, readTo: worded?.readTo ?? null, words }
}

/** If a search finds more, they are soon found in the list by its end. */
const FEW_MAX = 5_000

/** A search for names that few operations have: these are sorted, and not picked out of all by their end. */
async function withFew(db: Db, matched: Matching): Promise<Matching> {
  const { found, streams, words, isSmall, whole } = matched
  if (found === null || streams === null || streams.length === 0 || words !== null || isSmall) return matched
  const branches = streams.map(
    ({ keys, isIts }) => sql`
      select each.operation_id from unnest(${keys}) as stream (key) cross join lateral (
        select operation.operation_id from runtime.operation as operation where ${isIts} limit ${FEW_MAX + 1}) as each`,
  )
  const { rows } = await sql<{ operation_id: string }>`
    select operation_id from (${sql.join(branches, sql` union all `)}) as each limit ${FEW_MAX + 1}`.execute(
    db,
  )
  if (rows.length > FEW_MAX) return matched
  const ids = rows.map(({ operation_id }) => operation_id)
  return { ...matched, isSmall: true, whole: sql`operation.operation_id = any(${ids}::uuid[]) and ${whole}` }
}

/** What a page of a search reads by itself, because its words may be rare only together; null if it lists all matches. */
function readWords(
  db: Db,
  { bounded, few, isBroad, words, condition, whole, within }: Matching,
  filter: OperationFilter,
  page: PageOrder,
): Promise<WordsRead> | null {
  if (page.by === 'created_at' && bounded !== null)
    return readStreams(db, bounded, { condition: whole, filter }, page)
  if (few !== null)
    return page.by === 'created_at'
      ? readStreams(db, { streams: few, texts: false }, { condition, filter }, page)
      : null
  const isRead = bounded !== null || (isBroad && words !== null)
  if (!isRead) return null
  const read = { condition: page.by === 'created_at' ? condition : whole, within, filter }
  return readFrequentWords(db, words?.query ?? '', read, page)
}

const COLUMNS = sql`operation.*, ${microsecondsOf('operation.created_at')} as created_microseconds,
  ${microsecondsOf('operation.finished_at')} as finished_microseconds, ${callAttempts()} as call_attempts,
  ${installationTitle()} as installation_title, ${obstacleOf('operation')} as obstacle`

async function byCreation(
  db: Db,
  { condition, streams: all, words, few }: Matching,
  { rows: limit, direction, after }: PageOrder,
  worded: WordsRead | null,
): Promise<ListedOperation[]> {
  const streams = worded !== null && few !== null ? [] : all
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
  if (worded !== null)
    branches.push(sql`select created_at, operation_id from runtime.operation
      where operation_id = any(${worded.operationIds}::uuid[])`)
  else if (words !== null)
    branches.push(sql`
      select first.created_at, first.operation_id from (
        select operation_text.created_at, operation_text.operation_id
        from runtime.operation_text join runtime.operation as operation using (operation_id)
        where ${hasWords(words.query)} and ${condition} and ${startIn('operation_text')} ${order}) as first`)
  // words that no operation has together
  if (branches.length === 0) return []
  const rows = await sql<ListedOperation>`
    select ${COLUMNS} from (
      select created_at, operation_id from (${sql.join(branches, sql` union `)}) as merged
      where ${worded === null ? sql`true` : isRead(worded, direction)} ${order}
    ) as page join runtime.operation as operation using (operation_id)
    order by operation.created_at ${directed}, operation.operation_id ${directed}`.execute(db)
  return rows.rows
}

/** Whether a row is among those that the search for frequent words has read: others follow on the next page. */
function isRead({ readTo }: WordsRead, direction: Sort['direction']): RawBuilder<unknown> {
  if (readTo === null) return sql`true`
  const follows = isAfter(readTo, { column: 'merged.created_at', id: 'merged.operation_id', direction })
  return sql`not ${follows}`
}

/** One statement, so that an operation that ends meanwhile is neither missed nor listed twice. */
async function byEnd(
  db: Db,
  { whole, isSmall }: Matching,
  { rows: limit, direction, after, mayHaveEnded: mayHave }: PageOrder,
  worded: WordsRead | null,
): Promise<ListedOperation[]> {
  const directed = sql.raw(direction)
  const orderBy = (column: string) =>
    sql`order by ${sql.ref(`operation.${column}`)} ${directed}, operation.operation_id ${directed}`
  const startIn = (column: string) =>
    isAfter(after, { column: `operation.${column}`, id: 'operation.operation_id', direction })
  const isPastEnded = after?.hasEnded === false
  const isOfPage =
    worded === null
      ? sql`operation.finished_at is not null and ${isSmall ? sql`true` : whole} and ${startIn('finished_at')}`
      : sql`operation.operation_id = any(${worded.operationIds}::uuid[])`
  const hasOthers = worded === null || worded.readTo === null
  // "offset 0": few operations are read by their ids and sorted, and not picked out of all by their end
  const source = isSmall
    ? sql`(select * from runtime.operation as operation where ${whole} offset 0) as operation`
    : sql`runtime.operation as operation`
  const { rows } = await sql<ListedOperation>`
    with ended as (
      select operation.* from ${source}
      where ${isPastEnded || !mayHave ? sql`false` : isOfPage}
      ${orderBy('finished_at')} limit ${limit}
    ), others as (
      -- the states are redundant, but let the planner use the small index of the queue
      select operation.* from runtime.operation as operation
      where operation.finished_at is null and operation.state in ('PENDING', 'RUNNING', 'WAITING') and ${whole}
        and ${hasOthers ? sql`true` : sql`false`} and ${isPastEnded ? startIn('created_at') : sql`true`}
      ${orderBy('created_at')} limit ${limit} - (select count(*) from ended)
    )
    select ${COLUMNS} from (select * from ended union all select * from others) as operation
    order by operation.finished_at is null, coalesce(operation.finished_at, operation.created_at) ${directed},
      operation.operation_id ${directed}`.execute(db)
  return rows
}

/** The newest texts that a count looks at for words that are all frequent. */
const COUNTED_TEXTS_MAX = 20_000

/**
 * Counts the operations that the actor may see and that match the filter, up to `most`. `isPartial` says that it has not
 * looked at all of them, because the words are frequent.
 */
export async function countMatching(
  db: Db,
  actor: Actor,
  filter: OperationFilter,
  most: number,
): Promise<{ count: number; isPartial: boolean }> {
  const { matched } = await searching(db, actor, filter)
  const { condition, whole, streams, words, bounded, isUnrestricted, isBroad } = matched
  if (bounded !== null) {
    const page = { direction: 'desc' as const, rows: most, after: undefined }
    const { operationIds, readTo } = await readStreams(db, bounded, { condition: whole, filter }, page)
    return { count: operationIds.length, isPartial: readTo !== null }
  }
  const limit = sql`limit ${most}`
  const branches = streams?.map(
    ({ keys, isIts }) => sql`
      (select each.operation_id from unnest(${keys}) as stream (key) cross join lateral (
        select operation.operation_id from runtime.operation as operation
        where ${isIts} and ${condition} ${limit}) as each ${limit})`,
  ) ?? [sql`(select operation_id from runtime.operation as operation where ${condition} ${limit})`]
  let isPartial = false
  if (words !== null) {
    // each text belongs to one operation, which is read only if it has to meet a condition
    const isSearchOnly = isUnrestricted && isOnlySearch(filter) && matched.found?.terms.length === 1
    // the statistics are exact enough to say that there are more
    if (isSearchOnly && words.estimate !== null && words.estimate > 2 * most)
      return { count: most, isPartial: false }
    const isLookedUp = isSearchOnly && words.lookedUp !== null
    isPartial = isBroad && !isLookedUp
    // the newest texts first, as the list reads them
    const texts = isPartial
      ? sql`(select * from runtime.operation_text order by created_at desc, operation_id desc limit ${COUNTED_TEXTS_MAX})`
      : sql`runtime.operation_text`
    branches.push(
      isLookedUp
        ? sql`(select operation_id
            from runtime.find_words(${words.query}::tsquery, ${words.lookedUp}::tsquery, ${most}) as operation_id)`
        : sql`
      (select operation_id from ${texts} as operation_text ${isSearchOnly ? sql`` : sql`join runtime.operation as operation using (operation_id)`}
      where ${hasWords(words.query)} ${isSearchOnly ? sql`` : sql`and ${condition}`} ${limit})`,
    )
  }
  if (branches.length === 0) return { count: 0, isPartial }
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select operation_id from (
      ${sql.join(branches, sql` union `)}) as found ${limit}) as counted`.execute(db)
  return { count: rows[0]?.count ?? 0, isPartial }
}

/**
 * What a search of operations means, for counts and causes: with the words that its list uses, so that they agree. Null without a
 * search.
 */
export async function findChosen(db: Db, actor: Actor, filter: OperationFilter): Promise<FoundByText | null> {
  if (filter.q === undefined || filter.q === '') return null
  return (await searching(db, actor, filter)).matched.found
}

interface Matching {
  /** The search with the words that are used; null without one. */
  found: FoundByText | null
  /** Of the rows of each stream, or of the whole list. */
  condition: RawBuilder<unknown>
  /** Of the whole list. */
  whole: RawBuilder<unknown>
  /** To merge, sorted by creation; null if filtering the whole list is faster. */
  streams: Stream[] | null
  /** Of one more stream: the operations with these words. */
  words: FrequentWords | null
  /** Of a search whose words may each have many operations, if not one stream has them: what a page reads, to compare it with all words. */
  bounded: { streams: readonly Stream[]; texts: boolean } | null
  /** Of a search whose rarest words select few operations: these, to compare them with the other words. */
  few: readonly Stream[] | null
  /** Whether the rarest words select few operations by their ids or installations. */
  isSmall: boolean
  /** Of the operations that a page of `bounded` reads by their end. */
  within: RawBuilder<unknown>
  /** Whether the actor may see every operation. */
  isUnrestricted: boolean
  /** Whether too many operations meet the condition to look at each of them for the words. */
  isBroad: boolean
}

/** What the filter selects of what the actor may see. */
interface Searching {
  chosen: ChosenWords | null
  matched: Matching
  /** What the page reads of a search, if that was read to choose the words. */
  read: Promise<WordsRead> | null | undefined
}

/**
 * What the filter selects of what the actor may see. If no operation has all words of its search, with fewer of them.
 *
 * @param page The page to read; the newest operations by default.
 */
async function searching(
  db: Db,
  actor: Actor,
  filter: OperationFilter,
  page: PageOrder = NEWEST,
): Promise<Searching> {
  const visible = await narrowToScopes(db, await visibleScopes(db, actor, 'read', filter))
  if (filter.q === undefined || filter.q === '')
    return { chosen: null, matched: matching(filter, visible, null), read: undefined }
  const words = await findWords(db, wordsOf(filter.q))
  const nameOf = (some: readonly FoundWord[]) => JSON.stringify(some.map(({ word }) => word))
  const known = new Map<string, Promise<Matching>>()
  const matchedOf = (some: readonly FoundWord[]): Promise<Matching> => {
    const name = nameOf(some)
    const matched =
      known.get(name) ?? findTogether(db, some).then((found) => matching(filter, visible, found))
    known.set(name, matched)
    return matched
  }
  const reads = new Map<string, Promise<WordsRead> | null>()
  const sampleOf = async (some: readonly FoundWord[], rows: number): Promise<Sample> => {
    const matched = await matchedOf(some)
    const order = { ...NEWEST, rows }
    const worded = await readWords(db, matched, filter, order)
    const found = await byCreation(db, matched, order, worded)
    return {
      operationIds: found.map(({ operation_id }) => operation_id),
      isAll: (worded?.readTo ?? null) === null,
    }
  }
  // most searches find something: what the page reads tells that there is any
  const isGivenUp = async (some: readonly FoundWord[]): Promise<boolean> => {
    const read = page.after?.hasEnded === false ? null : readWords(db, await matchedOf(some), filter, page)
    reads.set(nameOf(some), read)
    const worded = await read
    if (worded !== null && (worded.operationIds.length > 0 || worded.readTo !== null)) return false
    const { operationIds, isAll } = await sampleOf(some, 1)
    return operationIds.length === 0 && isAll
  }
  const chosen = await chooseWords(db, words, {
    isGivenUp,
    sampleOf,
    seesEverything: visible.kind === 'everything',
  })
  const used = words.filter(({ word }) => chosen.used.includes(word))
  return { chosen, matched: await matchedOf(used), read: reads.get(nameOf(used)) }
}

const NEWEST: PageOrder = { ...SORTS['-createdAt'], rows: 1, after: undefined, mayHaveEnded: true }

/** Which operations of the scopes match the filter and the search. */
function matching(filter: OperationFilter, visible: VisibleScopes, found: FoundByText | null): Matching {
  const isLimited = visible.kind === 'scopes' || isSelective(filter)
  const all = sql`${isVisible(visible, 'operation')} and ${operationFilter(filter)}`
  const whole = found === null ? all : sql`${all} and ${isFound(found)}`
  const common = {
    found,
    whole,
    isUnrestricted: visible.kind === 'everything',
    isBroad: !isLimited && !isUnsettled(filter),
    bounded: null,
    few: null,
    isSmall: found?.isSmall === true && streamsOf(found.lead) !== null,
    within: sql`true`,
  }
  if (found === null) {
    const streams = scopeStreams(filter, visible)
    return { ...common, condition: streams === null ? whole : all, streams, words: null }
  }
  const { terms, lead, isSmall } = found
  const streams = streamsOf(lead)
  const words = lead.words === false ? null : lead.words
  if (isSmall) {
    if (streams === null) return { ...common, condition: whole, streams, words: null }
    // what the lead selects need not be compared with it
    const others = terms.filter((term) => term !== lead)
    const condition = others.length === 0 ? all : sql`${all} and ${isFound({ terms: others })}`
    return { ...common, condition, streams, words: null, few: others.length === 0 ? null : streams }
  }
  // what the person may see is read instead of what the words select: none of a million may be in these scopes
  if (isLimited) {
    const bounded = { streams: scopeStreams(filter, visible) ?? [allOf(all)], texts: false }
    return { ...common, condition: whole, streams: [], words: null, bounded, within: all }
  }
  if (terms.length === 1 && streams !== null) return { ...common, condition: all, streams, words }
  // few are unsettled, so they are read instead of what the words select
  if (isUnsettled(filter))
    return {
      ...common,
      condition: whole,
      streams: [],
      words: null,
      bounded: { streams: [allOf(all)], texts: false },
    }
  if (streams?.length === 0) return { ...common, condition: whole, streams, words }
  // the planner takes what a word of many keys selects for rare: it would read and sort the whole list
  const list = { ...allOf(sql`true`), isSorted: false }
  const bounded = { streams: streams ?? [list], texts: streams !== null && words !== null }
  return { ...common, condition: whole, streams: [], words: null, bounded }
}

/** One stream of all operations that meet the condition. */
const allOf = (condition: RawBuilder<unknown>): Stream => ({
  count: 1,
  keys: sql`array[0]`,
  isIts: condition,
  isSorted: true,
})

/** Whether the search text is the only filter. */
function isOnlySearch(filter: OperationFilter): boolean {
  return Object.entries(filter).every(([name, value]) => name === 'q' || value === undefined)
}

/** The streams of the scopes to merge; null if filtering the whole list is faster. */
function scopeStreams(query: OperationFilter, visible: VisibleScopes): Stream[] | null {
  if (visible.kind === 'everything') return null
  const places = visible.kind === 'scopes' ? visible.ids : visible.keys
  if (places.length === 0) return []
  const isMerged =
    visible.kind === 'scopes' &&
    places.length > 1 &&
    places.length <= MERGED_STREAMS_MAX &&
    !isSelective(query) &&
    !isUnsettled(query)
  return isMerged
    ? [{ count: places.length, keys: sql`${places}::bigint[]`, isIts: sql`operation.scope_id = stream.key` }]
    : null
}

/** Whether an operation that has ended can be in one of the states of the filter. */
const mayHaveEnded = ({ state }: OperationFilter): boolean =>
  state?.some((one) => one === 'SUCCEEDED' || one === 'FAILED' || one === 'TAKEN_OVER') ?? true

/** Whether the filter selects few operations by an index. */
function isSelective({
  bundleInstallId,
  requestedBy,
  errorCode,
  pluginId,
  causeId,
  assignee,
  inDoubt,
}: OperationFilter): boolean {
  // most operations have no assignee
  const person = assignee === UNASSIGNED ? undefined : assignee
  return [bundleInstallId, requestedBy, errorCode, pluginId, causeId, person, inDoubt].some(
    (value) => value !== undefined,
  )
}
