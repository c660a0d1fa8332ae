import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'
import type { FoundWord } from './find-words.ts'
import { hasKeys, isTermFound, isUsed } from './search.ts'

/** The words of a search that the operations have, as typed, and those that are left out because none has them all. */
export interface ChosenWords {
  used: string[]
  leftOut: string[]
}

/** Some of the newest operations that have words. `isAll`: there are no others, and none without a reason to read on. */
export interface Sample {
  operationIds: string[]
  isAll: boolean
}

type SampleOf = (words: readonly FoundWord[], rows: number) => Promise<Sample>

interface Sampling {
  /** Whether no operation has all of the words. A search that has not read everything is not given up. */
  isGivenUp: (words: readonly FoundWord[]) => Promise<boolean>
  sampleOf: SampleOf
  seesEverything: boolean
}

/** How many of the rarest words are tried, and how many of their newest operations are compared with all words. */
const RAREST = 3
const SAMPLE = 50

/**
 * Chooses what a search is for: operations with all words, or, if there are none, with as many as any of a sample has together;
 * among equal numbers with the rarer ones.
 */
export async function chooseWords(
  db: Db,
  words: readonly FoundWord[],
  sampling: Sampling,
): Promise<ChosenWords> {
  const isGivenUp = words.length > 1 && (await sampling.isGivenUp(words))
  const used = isGivenUp ? await chooseOf(db, words, sampling) : words
  return {
    used: used.map(({ word }) => word),
    leftOut: words.filter((word) => !used.includes(word)).map(({ word }) => word),
  }
}

async function chooseOf(
  db: Db,
  words: readonly FoundWord[],
  { isGivenUp, sampleOf, seesEverything }: Sampling,
): Promise<readonly FoundWord[]> {
  const known = await (seesEverything ? keepKnown(db, words) : keepSeen(words, sampleOf))
  if (known.length === 0) return words
  if (known.length === 1) return known
  if (known.length < words.length && !(await isGivenUp(known))) return known
  const byRarity = known.toSorted((one, other) => rankOf(one) - rankOf(other))
  const samples = await Promise.all(byRarity.slice(0, RAREST).map((word) => sampleOf([word], SAMPLE)))
  const ids = samples.flatMap(({ operationIds }) => operationIds)
  const columns = byRarity.map((word) => isTermFound({ ...word, words: isUsed(word) }))
  const { rows } = await sql<{ has: boolean[] }>`
    select array[${sql.join(columns)}] as has from runtime.operation as operation
    where operation.operation_id = any(${ids}::uuid[]) order by created_at desc`.execute(db)
  // of words that as many operations have, the rarer ones: the first difference decides
  const [best] = rows
    .map(({ has }) => byRarity.filter((_, at) => has[at] === true))
    .toSorted(
      (one, other) => other.length - one.length || firstRanks(one, byRarity) - firstRanks(other, byRarity),
    )
  // the filters exclude every word
  if (best === undefined || best.length === 0) return known
  return known.filter((word) => best.includes(word))
}

/** The smaller, the rarer the words are. */
const firstRanks = (words: readonly FoundWord[], byRarity: readonly FoundWord[]): number =>
  words.reduce((sum, word) => sum + 2 ** byRarity.indexOf(word), 0)

/** A word of names selects fewer operations than one of many texts. */
const rankOf = ({ frequency, bundles, people, scopes, plugins }: FoundWord): number =>
  frequency + 1_000 * (bundles.length + people.length + plugins.length) + scopes.length

/** Without the words that no operation in sight has: what a search leaves out must not tell what there is elsewhere. */
async function keepSeen(words: readonly FoundWord[], sampleOf: SampleOf): Promise<readonly FoundWord[]> {
  const samples = await Promise.all(words.map((word) => sampleOf([word], 1)))
  // nor a word that may be further on
  return words.filter((_, at) => (samples[at]?.operationIds.length ?? 0) > 0 || samples[at]?.isAll === false)
}

/** Without the words that nothing has. */
async function keepKnown(db: Db, words: readonly FoundWord[]): Promise<FoundWord[]> {
  const unsure = words.filter((word) => !hasKeys(word) && word.frequency === 0 && word.query !== null)
  const { rows } = await sql<{ query: string }>`
    select query from unnest(${unsure.map(({ query }) => query)}::text[]) as query
    where exists (select from runtime.find_words(query::tsquery, query::tsquery, 1))`.execute(db)
  const found = new Set(rows.map(({ query }) => query))
  return words.filter(
    (word) => hasKeys(word) || word.frequency > 0 || (word.query !== null && found.has(word.query)),
  )
}
