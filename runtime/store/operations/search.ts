import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'
import { findTitledBundles } from '../installations/search.ts'
import { microsecondsOf } from '../instants.ts'
import { findIds, containing, wordsOf } from '../text-search.ts'
import { isAfter } from './filter-operations.ts'
import type { OperationFilter, After, PageOrder } from './filter-operations.ts'

/** Words that more operations have are frequent. */
const RARE_MAX = 3_000
/** Of frequent words, the rarest is looked up if not more operations have it. */
const LOOKED_UP_MAX = 20_000

/** A search for words of which each is frequent. */
export interface FrequentWords {
  /** The `tsquery` for all words. */
  query: string
  /** The `tsquery` for the words to look up; null if too many operations have each of them. */
  lookedUp: string | null
  /** About how many operations have the word, if it is only one. */
  estimate: number | null
}

/** The search text's matches in small tables and among ids, which select the operations. */
export interface FoundByText {
  bundles: string[]
  /** `isAlways`: matches under every name that the person ever had. */
  people: { id: string; names: string[]; isAlways: boolean }[]
  operations: string[]
  installations: string[]
  /** The search in failures, reasons and notes; null if `operations` contains its matches, or there are none. */
  words: FrequentWords | null
}

/**
 * Finds the bundles whose id or title contains the text, names of people that do, and ids that start or end with it. Makes the query for its
 * words, which the operations themselves contain.
 */
export async function findByText(db: Db, text: string): Promise<FoundByText> {
  const { rows: people } = await sql<FoundByText['people'][number]>`
    select id, names, is_always as "isAlways" from (
      select requested_by_id as id, bool_and(is_found) as is_always,
        array_agg(requested_by_name) filter (where is_found) as names
      from (
        select *, requested_by_name ilike ${containing(text)}
          or ${withoutAccents(sql`requested_by_name`)} ilike ${containing(text)} as is_found
        from runtime.requester
      ) as judged group by 1
    ) as person where names is not null`.execute(db)
  const worded = await findByWords(db, text)
  return {
    bundles: await findTitledBundles(db, text),
    people,
    operations: [...(await findIds(db, 'operation', text)), ...worded.operations],
    installations: await findIds(db, 'installation', text),
    words: worded.words,
  }
}

/** The text without the accents of its letters, so that `Tomas` finds Tomás. */
const withoutAccents = (text: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`regexp_replace(normalize(${text}, nfd), '[\\u0300-\\u036f]', '', 'g')`

interface Term {
  query: string
  estimate: number
}

/** Rare words are looked up at once; if all are frequent, the list is read until the page is full. */
async function findByWords(db: Db, text: string): Promise<Pick<FoundByText, 'operations' | 'words'>> {
  const { rows } = await sql<{ query: string | null }>`
    select runtime.words_query(${wordsOf(text).join(' ')})::text as query`.execute(db)
  const query = rows[0]?.query || null
  if (query === null) return { operations: [], words: null }
  const terms = await estimateTerms(db, query)
  const lookedUp = termsToLookUp(terms)
  const [only] = terms
  const isOneFrequent = terms.length === 1 && only !== undefined && only.estimate > RARE_MAX
  if (lookedUp.length > 0 && !isOneFrequent) {
    const found = await sql<{ operation_id: string }>`
      select operation_id
      from runtime.find_words(${query}::tsquery, ${lookedUp.join(' & ')}::tsquery, ${RARE_MAX + 1}) as operation_id`.execute(
      db,
    )
    const operations = found.rows.map(({ operation_id }) => operation_id)
    if (operations.length <= RARE_MAX) return { operations, words: null }
  }
  return {
    operations: [],
    words: {
      query,
      lookedUp: lookedUp.length > 0 ? lookedUp.join(' & ') : null,
      estimate: terms.length === 1 && only !== undefined ? only.estimate : null,
    },
  }
}

/** The rare terms, or of several frequent ones the rarest. None if too many operations have each. */
function termsToLookUp(terms: readonly Term[]): string[] {
  const rare = terms.filter(({ estimate }) => estimate <= RARE_MAX)
  if (rare.length > 0) return rare.map(({ query }) => query)
  const [rarest] = terms.toSorted((one, other) => one.estimate - other.estimate)
  return rarest !== undefined && rarest.estimate <= LOOKED_UP_MAX ? [rarest.query] : []
}

/**
 * About how many operations have each term of the query, by the statistics of the planner, which name every frequent word. A
 * word that they do not name is rare: 0. Asking the index instead would read all matches of a frequent word.
 */
async function estimateTerms(db: Db, query: string): Promise<Term[]> {
  const { rows } = await sql<Term>`
    select term.query, (coalesce(sum(frequent.share), 0) * greatest(0, (
      select reltuples from pg_class where oid = 'runtime.operation_text'::regclass)))::float8 as estimate
    from (
      select '''' || match[1] || '''' || coalesce(match[2], '') as query, replace(match[1], '''''', '''') as word,
        match[2] is not null as is_prefix
      from regexp_matches(${query}, $re$'((?:[^']|'')*)'(:\\*)?$re$, 'g') as match
    ) as term
    left join (
      select word, share from pg_stats cross join lateral unnest(most_common_elems::text::text[], most_common_elem_freqs) as each (word, share)
      where schemaname = 'runtime' and tablename = 'operation_text' and attname = 'words' and word is not null
    ) as frequent on frequent.word = term.word or (term.is_prefix and starts_with(frequent.word, term.word))
    group by term.query`.execute(db)
  return rows
}

/** The condition that a row of `runtime.operation as operation` refers to one of the matches. */
export function isFound({
  bundles,
  people,
  operations,
  installations,
  words,
}: FoundByText): RawBuilder<boolean> {
  return sql<boolean>`(
    operation.bundle_id = any(${bundles}::text[])
    or (operation.requested_by_id = any(${people.map(({ id }) => id)}::text[])
      and operation.requested_by_name = any(${people.flatMap(({ names }) => names)}::text[]))
    or operation.operation_id = any(${operations}::uuid[])
    or operation.bundle_install_id = any(${installations}::uuid[])
    ${words === null ? sql`` : sql`or exists (select from runtime.operation_text where operation_text.operation_id = operation.operation_id and ${hasWords(words.query)})`})`
}

/** The condition that a row of `runtime.operation_text` has the words. */
export const hasWords = (words: string): RawBuilder<boolean> =>
  sql<boolean>`operation_text.words @@ ${words}::tsquery`

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
