import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { findIds } from '../find-ids.ts'
import { findBundles } from '../installations/find-bundles.ts'
import { containing, wordsOf } from '../like.ts'
import type { Db } from '../../model/db.ts'

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
 * Finds bundle ids and names of people that contain the text, and ids that start or end with it. Makes the query for its
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
    bundles: await findBundles(db, text),
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
