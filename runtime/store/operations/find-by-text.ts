import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { findIds } from '../find-ids.ts'
import { findBundles } from '../installations/find-bundles.ts'
import { containing, wordsOf } from '../like.ts'
import type { Db } from '../../model/db.ts'

/** Words that more operations have are frequent. */
const RARE_MAX = 3_000

/** The search text's matches in small tables and among ids, which select the operations. */
export interface FoundByText {
  bundles: string[]
  /** `isAlways`: matches under every name that the person ever had. */
  people: { id: string; names: string[]; isAlways: boolean }[]
  operations: string[]
  installations: string[]
  /**
   * The `tsquery` for failures, reasons and notes, if many operations match it; null if there are few, which
   * `operations` contains, or none.
   */
  words: string | null
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

/** Rare words are looked up at once; the list is read for frequent ones until the page is full. */
async function findByWords(db: Db, text: string): Promise<Pick<FoundByText, 'operations' | 'words'>> {
  const { rows: queries } = await sql<{ words: string | null }>`
    select runtime.words_query(${wordsOf(text).join(' ')})::text as words`.execute(db)
  const words = queries[0]?.words || null
  if (words === null) return { operations: [], words }
  const { rows } = await sql<{ operation_id: string }>`
    select operation_id from runtime.find_words(${words}::tsquery, ${RARE_MAX + 1}) as operation_id`.execute(
    db,
  )
  const operations = rows.map(({ operation_id }) => operation_id)
  return operations.length > RARE_MAX ? { operations: [], words } : { operations, words: null }
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
    ${words === null ? sql`` : sql`or exists (select from runtime.operation_text where operation_text.operation_id = operation.operation_id and ${hasWords(words)})`})`
}

/** The condition that a row of `runtime.operation_text` has the words. */
export const hasWords = (words: string): RawBuilder<boolean> =>
  sql<boolean>`operation_text.words @@ ${words}::tsquery`
