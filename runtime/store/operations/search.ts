import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'
import { MERGED_STREAMS_MAX } from '../visible-scopes.ts'
import { isInPath, RARE_MAX } from './find-words.ts'
import type { FoundKeys, FoundPart, FoundWord } from './find-words.ts'

/** Of frequent words, the rarest is looked up if not more operations have it. */
const LOOKED_UP_MAX = 20_000

/** A search in texts for words each of which is frequent. */
export interface FrequentWords {
  /** The `tsquery` for all words. */
  query: string
  /** The `tsquery` for the words to look up; null if too many operations have each of them. */
  lookedUp: string | null
  /** About how many operations have the word, if it is only one. */
  estimate: number | null
}

/**
 * A part of a search: one word that means something besides texts, or all words that only texts have. An operation that one of
 * the keys selects meets it, and one whose texts have the query.
 */
interface Term extends FoundKeys {
  /** The word, if it may be a part of a scope. */
  word: string | null
  query: string | null
  parts: FoundPart[]
  frequency: number
  /** If `operations` contains those whose texts have the words, false; null if there are none to look for. */
  words: FrequentWords | false | null
}

/** A search: operations that meet every term. */
export interface FoundByText {
  terms: Term[]
  /** The term whose operations are read, to compare them with the others: the one that selects the fewest. */
  lead: Term
  /** Whether the lead selects few operations by their ids or installations. */
  isSmall: boolean
}

/** The search for operations that have all of the words. */
export async function findTogether(db: Db, words: readonly FoundWord[]): Promise<FoundByText> {
  const plain = words.filter((word) => !hasKeys(word))
  const keyed: Term[] = words.filter(hasKeys).map((found) => ({ ...found, words: isUsed(found) }))
  const terms = [...keyed]
  if (plain.length > 0 || keyed.length === 0) {
    const texts = await readTexts(db, plain)
    terms.push({ ...NO_KEYS, word: null, parts: [], ...texts })
    if (texts.words === false) return { terms, lead: lastOf(terms), isSmall: true }
  }
  const [first] = keyed.toSorted((one, other) => weightOf(one) - weightOf(other))
  // of too many keys, the list would be read for them: it is read for the texts, which are fewer and compared faster
  const isKeyed =
    first !== undefined &&
    (keyed.length === terms.length || (first.frequency === 0 && streamsOf(first) !== null))
  const lead = isKeyed ? await withTexts(db, first) : lastOf(terms)
  return {
    terms: terms.map((term) => (term === first && isKeyed ? lead : term)),
    lead,
    isSmall: selectsFew(lead) && lead.words === false,
  }
}

const lastOf = (terms: readonly Term[]): Term => {
  const last = terms.at(-1)
  if (last === undefined) throw new TypeError('a search has a term')
  return last
}

/** The texts of a word are compared row by row. */
export const isUsed = ({ query }: Pick<FoundWord, 'query'>): FrequentWords | null =>
  query === null ? null : { query, lookedUp: null, estimate: null }

const NO_KEYS: FoundKeys = {
  bundles: [],
  people: [],
  scopes: [],
  plugins: [],
  busyPlugins: [],
  installations: [],
  operations: [],
}

export const hasKeys = ({
  bundles,
  people,
  scopes,
  plugins,
  installations,
  operations,
}: FoundKeys): boolean =>
  [bundles, people, scopes, plugins, installations, operations].some(({ length }) => length > 0)

const selectsFew = ({ bundles, people, scopes, plugins }: FoundKeys): boolean =>
  [bundles, people, scopes, plugins].every(({ length }) => length === 0)

/** In the order of how many operations a term may select. */
function weightOf(term: Term): number {
  const { bundles, people, scopes, plugins, frequency } = term
  if (scopes.length > MERGED_STREAMS_MAX) return Infinity
  return (
    (frequency > 0 ? 10_000 : 0) +
    scopes.length +
    20 * (people.length + plugins.length) +
    100 * bundles.length
  )
}

/** A term with the operations whose texts have its word. */
async function withTexts(db: Db, term: Term): Promise<Term> {
  if (term.query === null) return { ...term, words: false }
  const texts = await readTexts(db, [term])
  return { ...term, ...texts, operations: [...term.operations, ...texts.operations] }
}

/** Rare words are looked up at once; if all are frequent, the list is read until the page is full. */
async function readTexts(
  db: Db,
  words: readonly Pick<FoundWord, 'query' | 'parts'>[],
): Promise<Pick<Term, 'query' | 'frequency' | 'words' | 'operations'>> {
  const queries = words.flatMap(({ query }) => (query === null ? [] : [query]))
  if (queries.length === 0) return { query: null, frequency: 0, words: false, operations: [] }
  const query = queries.join(' & ')
  const parts = uniqueParts(words)
  const lookedUp = partsToLookUp(parts)
  const [only] = parts
  const estimate = parts.length === 1 && only !== undefined ? only.estimate : null
  const frequency = Math.min(...parts.map((part) => part.estimate))
  if (lookedUp.length > 0 && !(estimate !== null && estimate > RARE_MAX)) {
    const found = await sql<{ operation_id: string }>`
      select operation_id
      from runtime.find_words(${query}::tsquery, ${lookedUp.join(' & ')}::tsquery, ${RARE_MAX + 1}) as operation_id`.execute(
      db,
    )
    const operations = found.rows.map(({ operation_id }) => operation_id)
    if (operations.length <= RARE_MAX) return { query, frequency, words: false, operations }
  }
  const frequent = { query, lookedUp: lookedUp.length > 0 ? lookedUp.join(' & ') : null, estimate }
  return { query, frequency: Math.max(frequency, RARE_MAX), words: frequent, operations: [] }
}

/** The parts of the words, each once. */
const uniqueParts = (words: readonly Pick<FoundWord, 'parts'>[]): FoundPart[] => [
  ...new Map(words.flatMap(({ parts }) => parts.map((part) => [part.query, part]))).values(),
]

/** The rare parts, or of several frequent ones the rarest. None if too many operations have each. */
function partsToLookUp(parts: readonly FoundPart[]): string[] {
  const rare = parts.filter(({ estimate }) => estimate <= RARE_MAX)
  if (rare.length > 0) return rare.map(({ query }) => query)
  const [rarest] = parts.toSorted((one, other) => one.estimate - other.estimate)
  return rarest !== undefined && rarest.estimate <= LOOKED_UP_MAX ? [rarest.query] : []
}

/** The condition that a row of `runtime.operation as operation` meets every term. */
export const isFound = ({ terms }: Pick<FoundByText, 'terms'>): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(terms.map(isTermFound), sql` and `)})`

/** The condition that a row of `runtime.operation as operation` has one of the keys, or the words in its texts. */
export function isTermFound(term: Omit<Term, 'frequency' | 'parts'>): RawBuilder<boolean> {
  const { word, query, words, bundles, people, scopes, plugins, operations, installations } = term
  const path = sql`lower(operation.environment_key || '/' || operation.application_runtime_id || '/' || operation.workspace_id)`
  const ids = (column: string, all: readonly string[]) =>
    all.length === 0 ? [] : [sql`${sql.ref(`operation.${column}`)} = any(${[...all]}::uuid[])`]
  const conditions = [
    ...(bundles.length === 0 ? [] : [sql`operation.bundle_id = any(${bundles}::text[])`]),
    ...(people.length === 0
      ? []
      : [
          sql`(operation.requested_by_id = any(${people.map(({ id }) => id)}::text[])
            and operation.requested_by_name = any(${people.flatMap(({ names }) => names)}::text[]))`,
        ]),
    ...(word === null || scopes.length === 0 ? [] : [isInPath(word, path)]),
    ...ids('operation_id', operations),
    ...ids('bundle_install_id', installations),
    ...(plugins.length === 0
      ? []
      : [
          sql`exists (select from runtime.plugin_call where plugin_call.operation_id = operation.operation_id
            and plugin_call.plugin_id = any(${plugins}::text[]))`,
        ]),
    ...(query === null || words === false || words === null
      ? []
      : [
          sql`exists (select from runtime.operation_text
            where operation_text.operation_id = operation.operation_id and ${hasWords(query)})`,
        ]),
  ]
  return conditions.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

/** Operations with one of several keys, as one sorted stream for each. */
export interface Stream {
  /** How many keys there are. */
  count: number
  keys: RawBuilder<unknown>
  /** The condition that a row of `runtime.operation as operation` belongs to the stream of `stream.key`. */
  isIts: RawBuilder<unknown>
  /**
   * `isIts` in a form that is checked row by row. No index has these operations in the order of the list: what a page of several words
   * reads of the list is compared with it.
   */
  isItsByRow?: RawBuilder<unknown>
  /** No index has the rows in the order of the list: all of them are sorted. */
  isSorted?: boolean
}

/** The condition that one of the plugins is called by a row of `runtime.operation as operation`. */
const isCalled = (plugins: readonly string[]): RawBuilder<unknown> =>
  sql`operation.operation_id in (
    select plugin_call.operation_id from runtime.plugin_call where plugin_call.plugin_id = any(${[...plugins]}::text[]))`

/**
 * The same, row by row: `in` of too many calls for a hash table would read all of them for each row. `||` chooses the index that has the
 * calls of an operation together: the other one is searched once for each plugin.
 */
const isCalledByRow = (plugins: readonly string[]): RawBuilder<unknown> =>
  sql`exists (select from runtime.plugin_call where plugin_call.operation_id = operation.operation_id
    and plugin_call.plugin_id || '' = any(${[...plugins]}::text[]) offset 0)`

/** The streams of the operations that the keys of a term select; null if filtering the whole list is faster. */
export function streamsOf({
  bundles,
  people,
  scopes,
  plugins,
  busyPlugins,
  installations,
  operations,
}: FoundKeys): Stream[] | null {
  if (bundles.length + people.length + installations.length > MERGED_STREAMS_MAX) return null
  if (scopes.length > MERGED_STREAMS_MAX) return null
  const always = people.filter(({ isAlways }) => isAlways).map(({ id }) => id)
  const renamed = people.filter(({ isAlways }) => !isAlways)
  const names = renamed.flatMap((person) => person.names)
  const of = (all: readonly unknown[], type: string, isIts: RawBuilder<unknown>): Stream => ({
    count: all.length,
    keys: sql`${[...all]}::${sql.raw(type)}[]`,
    isIts,
  })
  return [
    of(bundles, 'text', sql`operation.bundle_id = stream.key`),
    of(always, 'text', sql`operation.requested_by_id = stream.key`),
    of(
      renamed.map(({ id }) => id),
      'text',
      sql`operation.requested_by_id = stream.key and operation.requested_by_name = any(${names}::text[])`,
    ),
    of(scopes, 'bigint', sql`operation.scope_id = stream.key`),
    of(installations, 'uuid', sql`operation.bundle_install_id = stream.key`),
    of(operations, 'uuid', sql`operation.operation_id = stream.key`),
    // the busy ones apart, because the planner must know which they are
    ...plugins
      .filter((plugin) => !busyPlugins.includes(plugin))
      .map((plugin) => of([plugin], 'text', isCalled([plugin]))),
    ...(busyPlugins.length === 0
      ? []
      : [
          {
            count: 1,
            keys: sql`array[0]`,
            isIts: isCalled(busyPlugins),
            isItsByRow: isCalledByRow(busyPlugins),
          },
        ]),
  ].filter(({ count }) => count > 0)
}

/** The condition that a row of `runtime.operation_text` has the words. */
export const hasWords = (words: string): RawBuilder<boolean> =>
  sql<boolean>`operation_text.words @@ ${words}::tsquery`
