import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'
import { MERGED_STREAMS_MAX } from '../visible-scopes.ts'
import { beginning, containing, findIds } from '../text-search.ts'

/** A person whose name has a word, under the names that have it. `isAlways`: under every name that they ever had. */
export interface FoundPerson {
  id: string
  names: string[]
  isAlways: boolean
}

/** What one word of a search means besides texts of operations: keys that select the operations. */
export interface FoundKeys {
  bundles: string[]
  people: FoundPerson[]
  /** More than can be merged if there are many, but not all. */
  scopes: number[]
  /** Whose owner or whose reasons of registration have the word. */
  plugins: string[]
  /** Those of the plugins that more than `RARE_MAX` calls name. */
  busyPlugins: string[]
  /** By id, or by a value of their configuration; those with a value that many have are left out. */
  installations: string[]
  operations: string[]
}

/** A part of the `tsquery` of a word, such as the two of `log-in`, which the index has as separate words. */
export interface FoundPart {
  query: string
  /** About how many operations have it in their texts, if it is frequent; otherwise 0. */
  estimate: number
}

/** A word of a search, with what it means. */
export interface FoundWord extends FoundKeys {
  word: string
  /** The `tsquery` for texts; null if the word has no letter and no digit. */
  query: string | null
  parts: FoundPart[]
  /** About how many operations have it in their texts, if it is frequent; otherwise 0. */
  frequency: number
}

/** Words that more operations have are frequent. */
export const RARE_MAX = 3_000
/** Of the registrations of a plugin, the newest, whose reasons are compared. */
const REASONS_MAX = 20

/** Looks up the words of a search, each among bundles, people, scopes, plugins, values and ids. */
export async function findWords(db: Db, words: readonly string[]): Promise<FoundWord[]> {
  const queries = await makeQueries(db, words)
  const parts = queries.map(partsOf)
  const [estimates, bundles, people, scopes, plugins, installations, byId] = await Promise.all([
    frequencies(db, parts.flat(), OPERATION_TEXTS),
    findBundles(db, words),
    findPeople(db, words),
    findScopes(db, words),
    findPlugins(db, queries),
    findValues(db, queries),
    Promise.all(
      words.map(async (word) => ({
        operations: await findIds(db, 'operation', word),
        installations: await findIds(db, 'installation', word),
      })),
    ),
  ])
  const estimateOf = new Map(parts.flat().map((query, at) => [query, estimates[at] ?? 0]))
  return words.map((word, at) => {
    const found = (parts[at] ?? []).map((query) => ({ query, estimate: estimateOf.get(query) ?? 0 }))
    const of = <Row extends { at: number }>(rows: readonly Row[]) => rows.filter((row) => row.at === at)
    return {
      word,
      query: queries[at] ?? null,
      parts: found,
      frequency: found.length === 0 ? 0 : Math.min(...found.map(({ estimate }) => estimate)),
      bundles: of(bundles).map(({ id }) => id),
      people: of(people),
      scopes: of(scopes).map(({ id }) => id),
      plugins: of(plugins).map(({ id }) => id),
      busyPlugins: of(plugins).flatMap(({ id, isBusy }) => (isBusy ? [id] : [])),
      installations: [...of(installations).map(({ id }) => id), ...(byId[at]?.installations ?? [])],
      operations: byId[at]?.operations ?? [],
    }
  })
}

const partsOf = (query: string | null): string[] => query?.match(/'(?:[^']|'')*'(?::\*)?/g) ?? []

async function makeQueries(db: Db, words: readonly string[]): Promise<(string | null)[]> {
  const { rows } = await sql<{ query: string | null }>`
    select runtime.words_query(word)::text as query from unnest(${[...words]}::text[]) with ordinality as each (word, at)
    order by at`.execute(db)
  return rows.map(({ query }) => query || null)
}

/** An index of words, as the statistics of the planner name it. */
interface WordIndex {
  /** Whose rows are counted. */
  table: string
  /** The table or index that has the statistics, and its column. */
  statistics: string
  column: string
}
const OPERATION_TEXTS: WordIndex = {
  table: 'runtime.operation_text',
  statistics: 'operation_text',
  column: 'words',
}
const VALUES: WordIndex = {
  table: 'runtime.configuration_property',
  statistics: 'configuration_property_words',
  column: 'value_words',
}

/**
 * About how many rows have each query, by the statistics of the planner, which name every frequent word. A word that they do
 * not name is rare: 0. Asking the index instead would read all matches of a frequent word. Of a query with several terms, the
 * rarest counts.
 */
export async function frequencies(
  db: Db,
  queries: readonly (string | null)[],
  index: WordIndex = OPERATION_TEXTS,
): Promise<number[]> {
  const { rows } = await sql<{ frequency: number }>`
    select coalesce(min(term.frequency), 0)::float8 as frequency
    from unnest(${[...queries]}::text[]) with ordinality as asked (query, at)
    left join lateral (
      select coalesce(sum(frequent.share), 0) * greatest(0, (
        select reltuples from pg_class where oid = ${index.table}::regclass)) as frequency
      from (
        select match[1] as quoted, replace(match[1], '''''', '''') as word, match[2] is not null as is_prefix
        from regexp_matches(asked.query, $re$'((?:[^']|'')*)'(:\\*)?$re$, 'g') as match
      ) as part
      left join (
        select word, share from pg_stats
        cross join lateral unnest(most_common_elems::text::text[], most_common_elem_freqs) as each (word, share)
        where schemaname = 'runtime' and tablename = ${index.statistics} and attname = ${index.column} and word is not null
      ) as frequent on frequent.word = part.word or (part.is_prefix and starts_with(frequent.word, part.word))
      group by part.quoted
    ) as term on true
    group by at order by at`.execute(db)
  return rows.map(({ frequency }) => frequency)
}

interface Found<Id> {
  /** Which of the words it has. */
  at: number
  id: Id
}

/** Where a word may stand in a name. A short one only at the beginning of a word, because nearly every name contains it. */
const patternsOf = (word: string): string[] =>
  word.length > 2 || /[\u3040-\u9FFF]/.test(word)
    ? [containing(word)]
    : [beginning(word), `% ${beginning(word)}`, `%-${beginning(word)}`]

/** Each word with its patterns, as rows of `asked`. */
const asked = (words: readonly string[]): RawBuilder<unknown> =>
  sql`json_to_recordset(${JSON.stringify(
    words.map((word, at) => ({ at, word: word.toLowerCase(), patterns: patternsOf(word) })),
  )}::json) as asked (at int, word text, patterns text[])`

/** The bundles that are or were installed, by id or title. */
async function findBundles(db: Db, words: readonly string[]): Promise<Found<string>[]> {
  const { rows } = await sql<Found<string>>`
    with recursive installed (bundle_id) as (
      -- a loose index scan: steps from bundle to bundle, however often each one is installed
      (select bundle_id from runtime.installation order by bundle_id limit 1)
      union all
      select (select installation.bundle_id from runtime.installation
        where installation.bundle_id > installed.bundle_id order by installation.bundle_id limit 1)
      from installed where installed.bundle_id is not null
    )
    select asked.at, installed.bundle_id as id from ${asked(words)}
    join installed on installed.bundle_id ilike any(asked.patterns)
    union
    select asked.at, bundle_version.bundle_id from ${asked(words)}
    join runtime.bundle_version on bundle_version.title ilike any(asked.patterns)`.execute(db)
  return rows
}

/** Those who requested an operation. `Tomas` finds Tomás. */
async function findPeople(db: Db, words: readonly string[]): Promise<(FoundPerson & { at: number })[]> {
  const name = sql`requester.requested_by_name`
  const { rows } = await sql<FoundPerson & { at: number }>`
    select at, id, names, is_always as "isAlways" from (
      select at, requested_by_id as id, bool_and(is_found) as is_always,
        array_agg(requested_by_name) filter (where is_found) as names
      from (
        select asked.at, requester.requested_by_id, ${name},
          ${name} ilike any(asked.patterns) or requester.plain ilike any(asked.patterns) as is_found
        -- once for each name, and most need nothing
        from (select requester.*, case when ${name} ~ '[^ -~]'
            then regexp_replace(normalize(${name}, nfd), '[\\u0300-\\u036f]', '', 'g') end as plain
          from runtime.requester offset 0) as requester
        cross join ${asked(words)}
      ) as judged group by 1, 2
    ) as person where names is not null`.execute(db)
  return rows
}

/** Whether the path of a scope has the word as a part, or at the beginning of a part if it is longer. */
export const isInPath = (word: string, path: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`'/' || ${path} || '/' like ${`%/${partPattern(word)}`}`

/** No part contains `/`, so a word may also be several parts. */
const partPattern = (word: string): string => {
  const text = word.toLowerCase()
  return beginning(text.length > 2 ? text : `${text}/`)
}

/** A scope from each of its parts on, as in the indexes. */
const FROM_PARTS = [
  sql`scope.path || '/'`,
  sql`substr(scope.path, strpos(scope.path, '/') + 1) || '/'`,
  sql`scope.workspace_id::text || '/'`,
]

async function findScopes(db: Db, words: readonly string[]): Promise<Found<number>[]> {
  const branches = words.flatMap((word, at) =>
    FROM_PARTS.map(
      (part) => sql`(select ${sql.lit(at)}::int as at, scope_id as id from runtime.scope
        where ${part} like ${partPattern(word)} limit ${MERGED_STREAMS_MAX + 1})`,
    ),
  )
  const { rows } = await sql<Found<number>>`${sql.join(branches, sql` union `)}`.execute(db)
  return rows
}

/** By their owner, and by what people gave as the reason when they registered or changed them. */
async function findPlugins(
  db: Db,
  queries: readonly (string | null)[],
): Promise<(Found<string> & { isBusy: boolean })[]> {
  const { rows } = await sql<Found<string> & { isBusy: boolean }>`
    with text as materialized (
      select plugin_id, runtime.words(concat_ws(e'\n', owner_team, (
        select string_agg(reason, e'\n') from (
          select reason from runtime.audit_entry
          where action = 'plugin.save' and environment_key is null and split_part(subject, ' ', 1) = plugin.plugin_id
          order by sequence desc limit ${REASONS_MAX}) as newest))) as words
      from runtime.plugin
    )
    select (at - 1)::int as at, text.plugin_id as id, exists (
      select from runtime.plugin_call where plugin_call.plugin_id = text.plugin_id offset ${RARE_MAX} limit 1) as "isBusy"
    from unnest(${[...queries]}::text[]) with ordinality as asked (query, at)
    join text on text.words @@ asked.query::tsquery`.execute(db)
  return rows
}

/** The installations with the word in a value that is not sensitive. None if many values have it. */
async function findValues(db: Db, queries: readonly (string | null)[]): Promise<Found<string>[]> {
  const counts = await frequencies(db, queries, VALUES)
  const rare = queries.flatMap((query, at) =>
    query === null || (counts[at] ?? 0) > RARE_MAX ? [] : [{ at, query }],
  )
  if (rare.length === 0) return []
  const { rows } = await sql<Found<string>>`
    select rare.at, found.id from json_to_recordset(${JSON.stringify(rare)}::json) as rare (at int, query text)
    cross join lateral runtime.find_values(rare.query::tsquery, ${RARE_MAX + 1}) as found (id)`.execute(db)
  // an installation may have the word in many properties
  return [...Map.groupBy(rows, ({ at }) => at)].flatMap(([at, found]) => {
    const ids = [...new Set(found.map(({ id }) => id))]
    const isFew = found.length <= RARE_MAX && ids.length <= MERGED_STREAMS_MAX
    return isFew ? ids.map((id) => ({ at, id })) : []
  })
}
