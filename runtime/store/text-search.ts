import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../model/db.ts'

/** The condition that one of the columns contains the text, ignoring case. */
export function containsText(
  text: string | undefined,
  columns: readonly RawBuilder<unknown>[],
): RawBuilder<boolean> {
  if (text === undefined || text === '') return sql<boolean>`true`
  const conditions = columns.map((column) => sql`${column} ilike ${containing(text)}`)
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

/** A `like` pattern that matches the text anywhere; `%`, `_` and `\` in the text are literal. */
export function containing(text: string): string {
  return `%${beginning(text)}`
}

/** A `like` pattern that matches the text at the beginning. */
export function beginning(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`
}

const WORDS_MAX = 8

/** The words of a search, each of which must be found; words after the eighth are ignored. */
export function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX)
}

/** A shorter text matches too many ids. */
const SHORTEST_LENGTH = 8
const MATCH_LIMIT = 100
const PLACES = {
  operation: { table: 'runtime.operation_plan', column: 'operation_id' },
  installation: { table: 'runtime.installation', column: 'bundle_install_id' },
} as const

/** Finds the ids that start or end with the text, as people copy it: at least eight characters. */
export async function findIds(db: Db, of: keyof typeof PLACES, text: string): Promise<string[]> {
  const part = text.toLowerCase()
  if (part.length < SHORTEST_LENGTH || part.length > 36 || !/^[0-9a-f-]+$/.test(part)) return []
  const column = sql.ref(PLACES[of].column)
  const table = sql.table(PLACES[of].table)
  const [first, last] = [completed(part, '0'), completed(part, 'f')]
  const { rows } = await sql<{ id: string }>`
    select ${column} as id from ${table}
    where right(${column}::text, 8) = ${part.slice(-SHORTEST_LENGTH)} and right(${column}::text, ${part.length}) = ${part}
    ${
      first === null
        ? sql``
        : sql`union select id from (select ${column} as id from ${table}
      where ${column} between ${first}::uuid and ${last}::uuid order by 1 desc limit ${MATCH_LIMIT}) as beginning`
    }
    limit ${MATCH_LIMIT}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The first or the last UUID with this prefix; null if there can be none. */
function completed(part: string, digit: '0' | 'f'): string | null {
  const all = '00000000-0000-0000-0000-000000000000'.replaceAll('0', digit)
  const id = part + all.slice(part.length)
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : null
}
